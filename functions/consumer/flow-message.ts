import type { HeaderTable, HeaderValue, Message, TypedValue } from '../message/types.ts';
import type { Flow, FlowMessage } from '../policy/types.ts';

/** The body can't be understood: class `contract`. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
  readonly code = 'LAYOVER_PAYLOAD';
}

/** The body is understood and refused by the flow's schema: class `invalid`. */
export class PayloadInvalidError extends Error {
  override readonly name = 'PayloadInvalidError';
  readonly code = 'LAYOVER_PAYLOAD_INVALID';
  /** In Standard Schema's form. */
  readonly issues: readonly { readonly message: string }[];
  constructor(message: string, issues: readonly { readonly message: string }[]) {
    super(message);
    this.issues = issues;
  }
}

/** The message as a flow's key, label and guard functions see it; the payload is not validated yet. */
export function flowMessage(message: Message): FlowMessage {
  let parsed: { payload: unknown } | undefined;
  return seen(message, () => {
    parsed ??= { payload: attempt(() => readPayload(message)) };
    return parsed.payload;
  });
}

/** Payload and headers are made when first asked for: many handlers read only one of them. */
function seen<Payload>(message: Message, payload: () => Payload): FlowMessage<Payload> {
  const { properties, body, redelivered } = message;
  const { timestampSeconds } = properties;
  let headers: Record<string, unknown> | undefined;
  return {
    messageId: properties.messageId,
    get payload() {
      return payload();
    },
    body,
    get headers() {
      headers ??= plainTable(message.headers);
      return headers;
    },
    contentType: properties.contentType,
    type: properties.type,
    correlationId: properties.correlationId,
    timestamp: timestampSeconds === undefined ? undefined : new Date(timestampSeconds * 1000),
    redelivered,
  };
}

/**
 * The message as its handler sees it: payload decoded and, where the flow has a schema, validated.
 * Throws {@link PayloadError} for a body that can't be understood, {@link PayloadInvalidError} for
 * one that the schema refuses.
 */
export async function handlerMessage<Payload>(
  flow: Pick<Flow<Payload>, 'payload'>,
  message: Message,
): Promise<FlowMessage<Payload>> {
  const raw = readPayload(message);
  if (flow.payload === undefined) return seen(message, () => raw as Payload);
  const result = await flow.payload['~standard'].validate(raw);
  if (result.issues === undefined) {
    const { value } = result;
    return seen(message, () => value);
  }
  const problems = result.issues.map((issue) => {
    const path = issue.path?.map((part) => (typeof part === 'object' ? part.key : part)).join('.');
    return path ? `${path}: ${issue.message}` : issue.message;
  });
  throw new PayloadInvalidError(`The payload is refused: ${problems.join('; ')}`, result.issues);
}

const PLAIN_ENCODINGS = new Set(['', 'identity', 'utf-8', 'utf8', 'us-ascii', 'binary']);

/** JSON for a JSON content type or none, text for `text/*`, bytes for everything else. */
function readPayload({ properties, body }: Message): unknown {
  const encoding = (properties.contentEncoding ?? '').trim().toLowerCase();
  if (!PLAIN_ENCODINGS.has(encoding)) {
    throw new PayloadError(
      `contentEncoding is '${encoding}'; Layover reads plain UTF-8. Send it uncompressed.`,
    );
  }
  const type =
    (properties.contentType ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json' || type.endsWith('+json')) return readJson(body);
  if (type.startsWith('text/')) return readText(body);
  return body;
}

function readJson(body: Buffer): unknown {
  const text = readText(body);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const what = text === '' ? 'empty' : 'no JSON';
    throw new PayloadError(`The body is ${what}: ${(cause as Error).message}`, { cause });
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function readText(body: Buffer): string {
  try {
    return UTF8.decode(body);
  } catch (cause) {
    throw new PayloadError('The body is not valid UTF-8.', { cause });
  }
}

/** Header values as a person expects them: dates for timestamps, numbers for decimals. */
function plainTable(table: HeaderTable): Record<string, unknown> {
  const plain: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(table)) plain[key] = plainValue(value);
  return plain;
}

function plainValue(value: HeaderValue): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(plainValue);
  return isTyped(value) ? plainTyped(value) : plainTable(value as HeaderTable);
}

function isTyped(value: object): value is TypedValue {
  return Object.hasOwn(value, '!');
}

function plainTyped(typed: TypedValue): unknown {
  const { value } = typed;
  if (typeof value === 'object') return value.digits / 10 ** value.places;
  return typed['!'] === 'timestamp' ? new Date(Number(value) * 1000) : value;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
