/**
 * PostgreSQL by SQLSTATE (appendix A of its manual), through `pg`, postgres.js and what wraps them;
 * Aurora and RDS Proxy included. MySQL and SQL Server tell a SQLSTATE of their own in `sqlState`.
 */
import { type KeyedRule, sqlStateOf } from './lookup.ts';
import { all, type Condition, code, message, named, needing, rule } from './match.ts';

const state = (pattern: RegExp): Condition =>
  needing(['sql-state'], (error) => pattern.test(sqlStateOf(error)));

export const POSTGRES_RULES: readonly KeyedRule[] = [
  rule('postgres.unique-violation', 'invalid', state(/^(23505|23P01)$/)),
  // With MySQL's sqlState 23000 the MySQL rules know more.
  rule('postgres.constraint-violation', 'invalid', state(/^(23[0-9A-Z]{3}|44000)$/)),
  rule('postgres.data-exception', 'invalid', state(/^(22|21)/)),
  rule(
    'postgres.access-denied',
    'security',
    state(/^(42501|28[0-9A-Z]{3})$/),
    message(/^This RDS proxy has no credentials for the role/),
  ),
  rule('postgres.serialization-failure', 'transient', state(/^(40001|40003)$/)),
  rule('postgres.deadlock', 'transient', state(/^40P01$/)),
  rule('postgres.lock-not-available', 'transient', state(/^(55P03|55006)$/)),
  rule(
    'postgres.too-many-connections',
    'backpressure',
    state(/^53300$/),
    message(
      /^(sorry, too many clients already|remaining connection slots are reserved|too many connections for (role|database))/i,
    ),
  ),
  rule('postgres.out-of-resources', 'backpressure', state(/^53/)),
  rule(
    'postgres.pool-timeout',
    'backpressure',
    message(/^timeout exceeded when trying to connect$/),
    message(/timed[- ]out waiting to acquire database connection/i),
  ),
  rule(
    'postgres.shutdown',
    'transient',
    state(/^(57P01|57P02|57P03|57P05)$/),
    message(/^terminating connection due to/),
  ),
  rule(
    'postgres.cancelled',
    'transient',
    state(/^(57014|25P03|25P04)$/),
    message(/^Query read timeout$/),
  ),
  rule('postgres.read-only', 'transient', state(/^25006$/)),
  rule(
    'postgres.connection',
    'transient',
    state(/^08/),
    code('CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'),
    message(/^(Connection terminated|Client has encountered a connection error)/),
  ),
  rule('postgres.system-error', 'transient', state(/^58/)),
  // A pooler or a migration took the prepared statement away.
  rule(
    'postgres.prepared-statement',
    'transient',
    state(/^26000$/),
    all(state(/^0A000$/), message(/cached plan must not change result type/)),
  ),
  rule('postgres.raised', 'invalid', state(/^P0001$/)),
  // Tables, columns and statements that don't fit the code: a migration is missing, or the SQL is wrong.
  rule('postgres.schema-mismatch', 'bug', state(/^(42[0-9A-Z]{3}|3D000|3F000|0A000)$/)),
  rule('postgres.program-limit', 'invalid', state(/^54/)),
  // Only says that something before it failed.
  rule('postgres.failed-transaction', 'unknown', state(/^25P02$/)),
  rule(
    'postgres.pool-closed',
    'transient',
    all(named('Error'), message(/^Cannot use a pool after calling end on the pool$/)),
  ),
];
