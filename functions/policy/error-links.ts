/** What lies inside an error: causes, members of an aggregate, and what wrappers of databases keep. */
import {
  elements,
  isArray,
  isErrorLike,
  isObject,
  ownKeys,
  primitiveText,
  read,
  readPath,
} from './safe-read.ts';

/** At most so many members of one aggregate are looked at. */
const MAX_MEMBERS = 64;

/**
 * Where wrappers keep the error they wrap, nearest first: the standard, TypeORM, Sequelize (and
 * GraphQL), MikroORM, Objection, Prisma's driver adapters, VError-like, Apollo, SuppressedError,
 * Stripe, SDKs that keep the body of the answer under `error`.
 */
const SINGLE = [
  'cause',
  'driverError',
  'original',
  'originalError',
  'parent',
  'previous',
  'nativeError',
  'meta.driverAdapterError',
  'meta',
  'inner',
  'innerError',
  'innerException',
  'wrappedError',
  'sourceError',
  'networkError',
  'lastError',
  'exception',
  'reason',
  'err',
  'error',
  'suppressed',
  'raw',
  'response.data.error',
];

/** Lists of errors: aggregates, MongoDB's bulk writes, GraphQL clients. */
const LISTS = ['errors', 'inner', 'writeErrors', 'failures', 'graphQLErrors', 'response.errors'];

/** Fields that make a plain object worth a link of its own. */
const TELLING = [
  'code',
  'errno',
  'status',
  'statusCode',
  'kind',
  'originalCode',
  'sqlState',
  'cause',
  'error',
  'errors',
];

/**
 * The errors directly inside `error`, in the order they are looked at. Members of a list follow
 * the single ones. A thrown array counts as an aggregate.
 *
 * @param hasIssues the error is a validation error: its lists are complaints, not errors
 */
export function linksOf(error: unknown, hasIssues: boolean): unknown[] {
  if (!isObject(error)) return [];
  const links: unknown[] = [];
  for (const path of SINGLE) {
    const value = readPath(error, path);
    if (path === 'cause' ? isCause(value) : isLink(value)) links.push(value);
  }
  if (hasIssues) return links;

  if (isArray(error)) links.push(...elements(error, MAX_MEMBERS).filter(isMember));
  for (const path of LISTS) {
    const value = readPath(error, path);
    if (isArray(value)) links.push(...elements(value, MAX_MEMBERS).filter(isMember));
  }
  return links;
}

/** A cause may be anything that says something, a text included. */
function isCause(value: unknown): boolean {
  if (isObject(value)) return true;
  return (primitiveText(value, 1) ?? '') !== '' && typeof value !== 'boolean';
}

/** `Promise.any` puts in its aggregate whatever was thrown, so a member may be a text as well. */
function isMember(value: unknown): boolean {
  return typeof value === 'string' ? value !== '' : isLink(value);
}

function isLink(value: unknown): boolean {
  if (!isObject(value) || typeof value === 'function' || isArray(value)) return false;
  if (isErrorLike(value) || typeof read(value, 'message') === 'string') return true;
  return ownKeys(value, 100).some((key) => TELLING.includes(key));
}
