import { decodeHeaderJson } from './decode-header-json.ts';
import { decodeProperties, shown } from './decode-properties.ts';
import { NESTING_LIMIT } from './limits.ts';
import { readState } from './read-state.ts';
import type { Message } from './types.ts';

/**
 * A decoded record. There is always a message, so that nothing is lost by decoding:
 * - `ok: true`: it can be handled.
 * - `ok: false`: it must not be, since body or headers can't be trusted (without headers nobody knows
 *   how often it was retried). To be parked as `contract` with `decodeProblem` as the reason; the copy
 *   then carries what could be kept, and the raw text of `data` as its body when that was no base64.
 *
 * `warnings` are deviations that don't matter for handling: a property of the wrong type, say.
 */
export type DecodedRecord =
  | { readonly ok: true; readonly message: Message; readonly warnings: readonly string[] }
  | {
      readonly ok: false;
      readonly message: Message;
      readonly decodeProblem: string;
      readonly warnings: readonly string[];
    };

type Json = Readonly<Record<string, unknown>>;

/** Decodes one record of the event, whatever it is. Never throws. */
export function decodeRecord(record: unknown, queue: string, vhost: string): DecodedRecord {
  const problems: string[] = [];
  const warnings: string[] = [];
  const raw = asObject(record);
  if (raw === undefined) problems.push(`the record is ${shown(record)}, not an object`);
  const source = raw === undefined ? undefined : basicProperties(raw, problems);
  const headers = readState(decodeHeaders(source?.headers, problems));
  const message: Message = {
    queue,
    vhost,
    properties: source === undefined ? {} : decodeProperties(source, warnings),
    headers: headers.senderHeaders,
    body: raw === undefined ? rawBody(record) : decodeBody(raw.data, problems),
    redelivered: raw?.redelivered === true,
    ...(headers.deliveryCount === undefined ? {} : { deliveryCount: headers.deliveryCount }),
    ...(headers.acquiredCount === undefined ? {} : { acquiredCount: headers.acquiredCount }),
    deaths: headers.deaths,
    state: headers.state,
  };
  if (problems.length === 0) return { ok: true, message, warnings };
  return { ok: false, message, decodeProblem: problems.join('; '), warnings };
}

function basicProperties(record: Json, problems: string[]): Json | undefined {
  const source = asObject(record.basicProperties);
  if (source === undefined) {
    problems.push(`basicProperties is ${shown(record.basicProperties)}, not an object`);
  }
  return source;
}

function decodeHeaders(json: unknown, problems: string[]) {
  const none = json === null || json === undefined || (Array.isArray(json) && json.length === 0);
  const table = asObject(json);
  if (!none && table === undefined) problems.push(`headers is ${shown(json)}, not a table`);
  const { headers, tooDeep } = decodeHeaderJson(table ?? {});
  for (const name of tooDeep) {
    problems.push(`header ${shown(name)} is nested deeper than ${NESTING_LIMIT} levels: left out`);
  }
  return headers;
}

function decodeBody(data: unknown, problems: string[]): Buffer {
  if (typeof data !== 'string') {
    problems.push(`data is ${shown(data)}, not base64 text`);
    return rawBody(data);
  }
  const body = Buffer.from(data, 'base64');
  // Node skips what isn't base64 without a word; the length gives it away.
  if (body.length === decodedLength(data)) return body;
  problems.push(`data is not base64: ${shown(data)}`);
  return Buffer.from(data, 'utf8');
}

function decodedLength(base64: string): number {
  let digits = base64.length;
  if (digits % 4 === 0 && base64.endsWith('=')) digits -= base64.endsWith('==') ? 2 : 1;
  return digits % 4 === 1 ? -1 : Math.floor((digits * 3) / 4);
}

/** What was in place of the body, as JSON text; empty when there was nothing. */
function rawBody(value: unknown): Buffer {
  if (value === undefined || value === null) return Buffer.alloc(0);
  try {
    return Buffer.from(JSON.stringify(value) ?? String(value));
  } catch {
    return Buffer.from(shown(value));
  }
}

function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : undefined;
}
