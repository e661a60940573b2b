/** SQL Server (tedious, mssql), SQLite, and the pools and wrappers of Knex, Sequelize and TypeORM. */
import type { KeyedRule } from './lookup.ts';
import { all, type Condition, code, codeLike, message, named, needing, rule } from './match.ts';

/** SQL Server's number, on errors that are its client's: others use a field of that name as well. */
const mssql = (...numbers: readonly number[]): Condition => {
  const known = new Set(numbers);
  return needing(
    ['field:number'],
    ({ fields, code: id }) =>
      typeof fields.number === 'number' && known.has(fields.number) && (id ?? '').startsWith('E'),
  );
};

export const OTHER_SQL_RULES: readonly KeyedRule[] = [
  rule('mssql.deadlock', 'transient', mssql(1205, 1222, 3960)),
  rule('mssql.duplicate-key', 'invalid', mssql(2601, 2627)),
  rule(
    'mssql.throttled',
    'backpressure',
    mssql(10_928, 10_929, 40_501, 40_544, 49_918, 49_919, 49_920),
  ),
  rule(
    'mssql.unavailable',
    'transient',
    mssql(40_197, 40_540, 40_613, 4_060, 64, 233),
    code('ESOCKET', 'ECONNCLOSED', 'ENOTOPEN'),
  ),
  rule('mssql.login', 'security', mssql(18_456, 229, 230), code('ELOGIN')),
  rule('mssql.rejected-data', 'invalid', mssql(515, 547, 245, 2_628, 8_115, 8_152)),
  rule('mssql.schema-mismatch', 'bug', mssql(102, 207, 208)),

  rule('sqlite.busy', 'transient', codeLike(/^SQLITE_(BUSY|LOCKED|PROTOCOL|INTERRUPT)/)),
  rule('sqlite.constraint', 'invalid', codeLike(/^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/)),

  rule(
    'knex.pool-exhausted',
    'backpressure',
    named(
      'KnexTimeoutError',
      'ConnectionAcquireTimeoutError',
      'SequelizeConnectionAcquireTimeoutError',
      'ResourceRequestTimeoutError',
    ),
    message(/^Knex: Timeout acquiring a connection/),
  ),
  rule('sequelize.unique-violation', 'invalid', named('SequelizeUniqueConstraintError')),
  rule(
    'sequelize.rejected-data',
    'invalid',
    named(
      'SequelizeValidationError',
      'SequelizeForeignKeyConstraintError',
      'SequelizeExclusionConstraintError',
    ),
  ),
  rule('sequelize.access-denied', 'security', named('SequelizeAccessDeniedError')),
  rule(
    'sequelize.connection',
    'transient',
    named(
      'SequelizeConnectionError',
      'SequelizeConnectionRefusedError',
      'SequelizeConnectionTimedOutError',
      'SequelizeHostNotFoundError',
      'SequelizeHostNotReachableError',
      'SequelizeTimeoutError',
    ),
  ),
  rule(
    'sequelize.version',
    'stale',
    named('SequelizeOptimisticLockError', 'OptimisticLockVersionMismatchError'),
  ),
  rule('typeorm.not-found', 'invalid', all(named('EntityNotFoundError', 'EntityNotFound'))),
];
