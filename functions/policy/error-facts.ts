/** One thrown thing → the facts rules look at. Reading foreign objects ends here. */
import { controlMarkOf } from './control-errors.ts';
import { errnoName } from './errno.ts';
import type { HeaderRecord } from './headers.ts';
import { type Issue, issuesText } from './issues.ts';
import {
  isArray,
  isErrorLike,
  isObject,
  nonEmptyText,
  primitiveText,
  read,
  readPath,
} from './safe-read.ts';
import { newBudget, snapshot, snapshotInto, snapshotText } from './snapshot.ts';
import type { ErrorFacts } from './types.ts';

const MAX_NAME = 128;
const MAX_MESSAGE = 65_536;
const MAX_STACK = 32_768;

/** Names that say no more than "something went wrong". */
const GENERIC_NAMES: ReadonlySet<string> = new Set(['Error', 'Object', 'Array', 'Function']);

/** HTTP status, by library: fetch-like and most SDKs, axios, AWS SDK v3, superagent, Boom, Elastic. */
const STATUS_PATHS = [
  'status',
  'statusCode',
  'response.status',
  'response.statusCode',
  '$metadata.httpStatusCode',
  'res.status',
  'res.statusCode',
  '$response.statusCode',
  'output.statusCode',
  'meta.statusCode',
  'raw.statusCode',
  'httpStatus',
  'httpStatusCode',
  'http_status',
  'status_code',
  'response.data.status',
];

/** Read by name, since they are getters, inherited or not enumerable (zod, MongoDB, AWS, gRPC). */
const READ_BY_NAME = [
  'code',
  'codeName',
  'errorLabels',
  '$metadata',
  '$fault',
  '$retryable',
  'CancellationReasons',
  'details',
  'kind',
  'meta',
  'type',
  'retryable',
  'retriable',
  'sqlState',
  'extensions',
];

/** What a link carried, given by {@link normalise}. */
export interface Carried {
  readonly headers: HeaderRecord;
  readonly issues: readonly Issue[] | undefined;
  readonly depth: number;
}

/** Reduces one link of a chain to frozen facts. Total, and writes nothing. */
export function factsOf(thrown: unknown, { headers, issues, depth }: Carried): ErrorFacts {
  const name = nameOf(thrown);
  const code = codeOf(thrown, name);
  const errno = read(thrown, 'errno');
  const status = statusOf(thrown);
  const stack = nonEmptyText(read(thrown, 'stack'), MAX_STACK);
  const control = controlMarkOf(thrown);
  return Object.freeze({
    name,
    message: messageOf(thrown, name, issues),
    ...(code !== undefined && { code }),
    ...(typeof errno === 'number' && { errno }),
    ...(status !== undefined && { status }),
    ...(stack !== undefined && { stack }),
    ...(control !== undefined && { control }),
    fields: fieldsOf(thrown, headers, issues),
    isError: isErrorLike(thrown),
    depth,
  });
}

/** Own or inherited name; a class without one of its own goes by its class name. */
function nameOf(thrown: unknown): string {
  if (thrown === null) return 'null';
  if (!isObject(thrown)) return typeof thrown;
  const name = nonEmptyText(read(thrown, 'name'), MAX_NAME);
  if (name !== undefined && name !== 'Error' && typeof thrown !== 'function') return name;
  if (isArray(thrown)) return 'array';
  const className = nonEmptyText(readPath(thrown, 'constructor.name'), MAX_NAME);
  if (className !== undefined && !GENERIC_NAMES.has(className)) return className;
  if (isErrorLike(thrown) || typeof read(thrown, 'message') === 'string') return 'Error';
  return typeof thrown;
}

/**
 * `code`, else what databases call it, else the name behind `errno`, else AWS's `Code` and `__type`.
 * The legacy number of a DOMException (20, 23) says nothing its name doesn't.
 */
function codeOf(thrown: unknown, name: string): string | undefined {
  const code = read(thrown, 'code');
  const legacy = typeof code === 'number' && (name === 'AbortError' || name === 'TimeoutError');
  if (!legacy && typeof code !== 'boolean' && code !== '') {
    const text = primitiveText(code, MAX_NAME);
    if (text !== undefined) return text;
  }
  const errno = read(thrown, 'errno');
  return (
    nonEmptyText(read(thrown, 'originalCode'), MAX_NAME) ??
    nonEmptyText(read(thrown, 'errorCode'), MAX_NAME) ??
    (typeof errno === 'number' ? errnoName(errno) : nonEmptyText(errno, MAX_NAME)) ??
    nonEmptyText(read(thrown, 'Code'), MAX_NAME) ??
    nonEmptyText(read(thrown, '__type'), MAX_NAME)?.replace(/^.*#/, '')
  );
}

function statusOf(thrown: unknown): number | undefined {
  if (!isObject(thrown)) return undefined;
  for (const path of STATUS_PATHS) {
    const status = asStatus(readPath(thrown, path), 100);
    if (status !== undefined) return status;
  }
  // Google's and SendGrid's clients put the status into `code`. AMQP has reply codes of its own there.
  return read(thrown, 'classId') === undefined ? asStatus(read(thrown, 'code'), 400) : undefined;
}

function asStatus(value: unknown, min: number): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  if (typeof status !== 'number' || !Number.isInteger(status)) return undefined;
  return status >= min && status <= 599 ? status : undefined;
}

function messageOf(thrown: unknown, name: string, issues: readonly Issue[] | undefined): string {
  if (thrown === undefined || thrown === null) return `${name} was thrown`;
  if (!isObject(thrown)) return primitiveText(thrown, MAX_MESSAGE) ?? '';
  const message = read(thrown, 'message') ?? read(thrown, 'originalMessage');
  const text = typeof message === 'string' ? message.slice(0, MAX_MESSAGE) : undefined;
  // zod's message is its list as JSON; a line per issue is what a person wants to read.
  if (issues !== undefined && (text === undefined || /^\s*(\[|$)/.test(text))) {
    return issuesText(issues);
  }
  if (text !== undefined) return text;
  if (isObject(message)) return snapshotText(message, 1_024);
  if (isErrorLike(thrown) || isArray(thrown)) return '';
  const data = typeof thrown === 'function' ? '' : snapshotText(thrown, 1_024);
  return data === '' || data === '{}' ? `a thing without a message was thrown (${name})` : data;
}

function fieldsOf(
  thrown: unknown,
  headers: HeaderRecord,
  issues: readonly Issue[] | undefined,
): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = Object.create(null);
  if (isObject(thrown)) {
    const budget = newBudget();
    for (const key of READ_BY_NAME) {
      const value = snapshot(read(thrown, key), budget, 1);
      if (value !== undefined) fields[key] = value;
    }
    // gRPC puts a Metadata object there; that it is there is what tells.
    if (isObject(read(thrown, 'metadata'))) fields.metadata = true;
    snapshotInto(fields, thrown, budget);
  }
  if (Object.keys(headers).length > 0) fields.headers = headers;
  if (issues !== undefined) fields.issues = Object.freeze(issues);
  return Object.freeze(fields);
}
