/** Redis and Valkey: server answers by their first word, and the clients' own errors (ioredis, node-redis). */
import type { KeyedRule, Need } from './lookup.ts';
import { all, type Condition, message, named, needing, rule } from './match.ts';

/** Answers have telling names, or carry the command that was refused. */
const ANSWERS = [
  'ReplyError',
  'ErrorReply',
  'SimpleError',
  'BlobError',
  'RedisError',
  'ClusterAllFailedError',
  'AbortError',
];
const isAnswer: Condition = needing(
  [...ANSWERS.map((name): Need => `name:${name}`), 'field:command'],
  ({ name, fields }) => ANSWERS.includes(name) || fields.command !== undefined,
);

const answer = (pattern: RegExp): Condition => all(isAnswer, message(pattern));

export const REDIS_RULES: readonly KeyedRule[] = [
  rule(
    'redis.access-denied',
    'security',
    answer(/^(NOAUTH|WRONGPASS|NOPERM)\b/),
    message(/^(NOAUTH Authentication required|WRONGPASS invalid username-password pair)/),
  ),
  rule('redis.out-of-memory', 'backpressure', message(/^OOM command not allowed/)),
  rule('redis.too-many-clients', 'backpressure', message(/^(ERR )?max number of clients reached/i)),
  // Failover, start, resharding: the same command works a moment later.
  rule(
    'redis.not-ready',
    'transient',
    answer(
      /^(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOREPLICAS|MOVED|ASK|NOSCRIPT|UNBLOCKED|FAILOVER)\b/,
    ),
    message(
      /^(READONLY You can't write against a read only|LOADING Redis is loading|MASTERDOWN Link with MASTER|CLUSTERDOWN |TRYAGAIN |MOVED \d+ |ASK \d+ |BUSY Redis is busy)/,
    ),
  ),
  rule(
    'redis.connection',
    'transient',
    // undici has an error of this name, with a code.
    all(named('ClientClosedError'), (error) => error.code === undefined),
    named(
      'MaxRetriesPerRequestError',
      'ClusterAllFailedError',
      'ClientOfflineError',
      'SocketClosedUnexpectedlyError',
      'DisconnectsClientError',
      'ReconnectStrategyError',
      'RootNodesUnavailableError',
      'CommandTimeoutDuringMaintenanceError',
    ),
    message(
      /^(Connection is closed\.|Command timed out|Stream isn't writeable and enableOfflineQueue options is false|Socket closed unexpectedly)$/,
    ),
  ),
  rule('redis.watch', 'transient', named('WatchError')),
  rule(
    'redis.lock-held',
    'transient',
    named('ResourceLockedError', 'LockError'),
    all(named('ExecutionError'), message(/quorum|unable to achieve/i)),
  ),
  rule(
    'redis.wrong-use',
    'bug',
    answer(
      /^(WRONGTYPE|CROSSSLOT|ERR (unknown command|syntax error|wrong number of arguments|value is not))/,
    ),
  ),
];
