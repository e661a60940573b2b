import { err, type Row, row } from './row.ts';

const pg = (code: string, message = 'pg says no') =>
  err('error', message, { code, severity: 'ERROR', routine: 'exec', length: 90 });

export const POSTGRES: readonly Row[] = [
  row('40001, serialization failure', pg('40001'), 'transient', 'postgres.serialization-failure'),
  row('40P01, deadlock', pg('40P01'), 'transient', 'postgres.deadlock'),
  row('55P03, lock not available', pg('55P03'), 'transient', 'postgres.lock-not-available'),
  row('57P01, admin shutdown', pg('57P01'), 'transient', 'postgres.shutdown'),
  row('57P03, starting up', pg('57P03'), 'transient', 'postgres.shutdown'),
  row(
    '57014, statement timeout',
    pg('57014', 'canceling statement due to statement timeout'),
    'transient',
    'postgres.cancelled',
  ),
  row('25006, a reader after failover', pg('25006'), 'transient', 'postgres.read-only'),
  row('08006, connection failure', pg('08006'), 'transient', 'postgres.connection'),
  row('08P01, protocol violation', pg('08P01'), 'transient', 'postgres.connection'),
  row('58030, i/o error', pg('58030'), 'transient', 'postgres.system-error'),
  row('53300, too many connections', pg('53300'), 'backpressure', 'postgres.too-many-connections'),
  row(
    '53300 in words',
    new Error('sorry, too many clients already'),
    'backpressure',
    'postgres.too-many-connections',
  ),
  row('53200, out of memory', pg('53200'), 'backpressure', 'postgres.out-of-resources'),
  row(
    'pg-pool: no free client',
    new Error('timeout exceeded when trying to connect'),
    'backpressure',
    'postgres.pool-timeout',
  ),
  row(
    'RDS Proxy: no connection to lend',
    new Error('Timed-out waiting to acquire database connection'),
    'backpressure',
    'postgres.pool-timeout',
  ),
  row(
    'pg: the connection went',
    new Error('Connection terminated unexpectedly'),
    'transient',
    'postgres.connection',
  ),
  row('pg: query_timeout', new Error('Query read timeout'), 'transient', 'postgres.cancelled'),
  row(
    'pg: the pool was ended',
    new Error('Cannot use a pool after calling end on the pool'),
    'transient',
    'postgres.pool-closed',
  ),
  row(
    'postgres.js: closed',
    err('Error', 'write CONNECTION_CLOSED db:5432', { code: 'CONNECTION_CLOSED' }),
    'transient',
    'postgres.connection',
  ),
  row('23505, unique violation', pg('23505'), 'invalid', 'postgres.unique-violation'),
  row('23P01, exclusion violation', pg('23P01'), 'invalid', 'postgres.unique-violation'),
  row('23503, foreign key', pg('23503'), 'invalid', 'postgres.constraint-violation'),
  row('23502, not null', pg('23502'), 'invalid', 'postgres.constraint-violation'),
  row('22P02, not a uuid', pg('22P02'), 'invalid', 'postgres.data-exception'),
  row('22001, too long', pg('22001'), 'invalid', 'postgres.data-exception'),
  row('P0001, raised by a function', pg('P0001'), 'invalid', 'postgres.raised'),
  row('54000, over a limit', pg('54000'), 'invalid', 'postgres.program-limit'),
  row('42501, no privilege', pg('42501'), 'security', 'postgres.access-denied'),
  row('28P01, wrong password', pg('28P01'), 'security', 'postgres.access-denied'),
  row('42P01, no such table', pg('42P01'), 'bug', 'postgres.schema-mismatch'),
  row('42703, no such column', pg('42703'), 'bug', 'postgres.schema-mismatch'),
  row(
    '26000, statement taken by the pooler',
    pg('26000'),
    'transient',
    'postgres.prepared-statement',
  ),
  row(
    '0A000, a plan that changed under us',
    pg('0A000', 'cached plan must not change result type'),
    'transient',
    'postgres.prepared-statement',
  ),
  row('0A000, otherwise', pg('0A000', 'not supported'), 'bug', 'postgres.schema-mismatch'),
  row('25P02 alone tells nothing', pg('25P02'), 'unknown', 'postgres.failed-transaction'),
  row(
    '25P02 over what caused it',
    Object.assign(pg('25P02'), { cause: pg('40001') }),
    'transient',
    'postgres.serialization-failure',
  ),
  row('a number is no SQLSTATE', { message: 'x', code: 23505 }, 'unknown', 'unknown'),
  row(
    'case 26: TypeORM',
    err('QueryFailedError', 'deadlock', { query: 'update …', driverError: { code: '40001' } }),
    'transient',
    'postgres.serialization-failure',
  ),
  row(
    'Sequelize over pg',
    err('SequelizeDatabaseError', 'deadlock detected', {
      parent: pg('40P01'),
      original: pg('40P01'),
    }),
    'transient',
    'postgres.deadlock',
  ),
  row(
    'Drizzle over pg',
    err('DrizzleQueryError', 'Failed query: insert …', { cause: pg('23505') }),
    'invalid',
    'postgres.unique-violation',
  ),
  row(
    'Objection over pg',
    err('DBError', 'x', { nativeError: pg('40001') }),
    'transient',
    'postgres.serialization-failure',
  ),
  row(
    'Slonik over pg',
    err('SlonikError', 'x', { originalError: pg('57P01') }),
    'transient',
    'postgres.shutdown',
  ),
];

const mysql = (errno: number, code: string, sqlState: string) =>
  err('Error', `${code} at row 1`, { errno, code, sqlState, sqlMessage: 'x', sql: 'update …' });

export const MYSQL: readonly Row[] = [
  row('1213, deadlock', mysql(1213, 'ER_LOCK_DEADLOCK', '40001'), 'transient', 'mysql.deadlock'),
  row(
    '1205, lock wait timeout',
    mysql(1205, 'ER_LOCK_WAIT_TIMEOUT', 'HY000'),
    'transient',
    'mysql.lock-wait-timeout',
  ),
  row('case 26: only the number', { errno: 1213 }, 'transient', 'mysql.deadlock'),
  row('only the symbol', { message: 'x', code: 'ER_LOCK_DEADLOCK' }, 'transient', 'mysql.deadlock'),
  row(
    '1040, too many connections',
    mysql(1040, 'ER_CON_COUNT_ERROR', '08004'),
    'backpressure',
    'mysql.too-many-connections',
  ),
  row(
    '1203, too many of this user',
    mysql(1203, 'ER_TOO_MANY_USER_CONNECTIONS', '42000'),
    'backpressure',
    'mysql.too-many-connections',
  ),
  row(
    'mysql2: no free connection',
    new Error('No connections available.'),
    'backpressure',
    'mysql.pool-exhausted',
  ),
  row(
    'mysql2: the line is full',
    new Error('Queue limit reached.'),
    'backpressure',
    'mysql.pool-exhausted',
  ),
  row(
    '1114, the table is full',
    mysql(1114, 'ER_RECORD_FILE_FULL', 'HY000'),
    'backpressure',
    'mysql.out-of-resources',
  ),
  row(
    'the server closed',
    err('Error', 'Connection lost: The server closed the connection.', {
      code: 'PROTOCOL_CONNECTION_LOST',
      fatal: true,
    }),
    'transient',
    'mysql.connection',
  ),
  row(
    '1053, shutdown',
    mysql(1053, 'ER_SERVER_SHUTDOWN', '08S01'),
    'transient',
    'mysql.connection',
  ),
  row(
    '1290, a reader after failover',
    mysql(1290, 'ER_OPTION_PREVENTS_STATEMENT', 'HY000'),
    'transient',
    'mysql.read-only',
  ),
  row(
    '3024, max_execution_time',
    mysql(3024, 'ER_QUERY_TIMEOUT', 'HY000'),
    'transient',
    'mysql.query-interrupted',
  ),
  row(
    '1062, duplicate entry',
    mysql(1062, 'ER_DUP_ENTRY', '23000'),
    'invalid',
    'mysql.duplicate-entry',
  ),
  row(
    '1452, foreign key',
    mysql(1452, 'ER_NO_REFERENCED_ROW_2', '23000'),
    'invalid',
    'mysql.rejected-data',
  ),
  row('1406, too long', mysql(1406, 'ER_DATA_TOO_LONG', '22001'), 'invalid', 'mysql.rejected-data'),
  row(
    '1045, access denied',
    mysql(1045, 'ER_ACCESS_DENIED_ERROR', '28000'),
    'security',
    'mysql.access-denied',
  ),
  row(
    '1146, no such table',
    mysql(1146, 'ER_NO_SUCH_TABLE', '42S02'),
    'bug',
    'mysql.schema-mismatch',
  ),
  row('1064, syntax', mysql(1064, 'ER_PARSE_ERROR', '42000'), 'bug', 'mysql.schema-mismatch'),
];

const mssql = (number: number, code = 'EREQUEST') => err('RequestError', 'x', { number, code });

export const OTHER_SQL: readonly Row[] = [
  row('SQL Server 1205, deadlock victim', mssql(1205), 'transient', 'mssql.deadlock'),
  row('SQL Server 2627, duplicate key', mssql(2627), 'invalid', 'mssql.duplicate-key'),
  row('Azure 40501, busy', mssql(40_501), 'backpressure', 'mssql.throttled'),
  row('Azure 40613, not available', mssql(40_613), 'transient', 'mssql.unavailable'),
  row(
    'tedious: the socket went',
    err('ConnectionError', 'x', { code: 'ESOCKET' }),
    'transient',
    'mssql.unavailable',
  ),
  row(
    'tedious: login failed',
    err('ConnectionError', 'Login failed for user', { code: 'ELOGIN' }),
    'security',
    'mssql.login',
  ),
  row('SQL Server 547, foreign key', mssql(547), 'invalid', 'mssql.rejected-data'),
  row('SQL Server 208, no such object', mssql(208), 'bug', 'mssql.schema-mismatch'),
  row(
    'SQLite busy',
    err('SqliteError', 'database is locked', { code: 'SQLITE_BUSY' }),
    'transient',
    'sqlite.busy',
  ),
  row(
    'SQLite unique',
    err('SqliteError', 'UNIQUE constraint failed', { code: 'SQLITE_CONSTRAINT_UNIQUE' }),
    'invalid',
    'sqlite.constraint',
  ),
  row(
    'Knex: the pool is full',
    err('KnexTimeoutError', 'Knex: Timeout acquiring a connection. The pool is probably full.'),
    'backpressure',
    'knex.pool-exhausted',
  ),
  row(
    'Sequelize: the pool is full',
    err('SequelizeConnectionAcquireTimeoutError', 'Operation timeout'),
    'backpressure',
    'knex.pool-exhausted',
  ),
  row(
    'Sequelize: unique',
    err('SequelizeUniqueConstraintError', 'Validation error', {
      errors: [{ message: 'email must be unique', path: 'email' }],
    }),
    'invalid',
    'sequelize.unique-violation',
  ),
  row(
    'Sequelize: foreign key',
    err('SequelizeForeignKeyConstraintError', 'x'),
    'invalid',
    'sequelize.rejected-data',
  ),
  row(
    'Sequelize: refused login',
    err('SequelizeAccessDeniedError', 'x'),
    'security',
    'sequelize.access-denied',
  ),
  row(
    'Sequelize: no connection',
    err('SequelizeConnectionRefusedError', 'x'),
    'transient',
    'sequelize.connection',
  ),
  row('Sequelize: version', err('SequelizeOptimisticLockError', 'x'), 'stale', 'sequelize.version'),
];

const mongo = (code: number, codeName: string, fields: object = {}) =>
  err('MongoServerError', `${codeName} happened`, { code, codeName, ok: 0, ...fields });

/** As the driver keeps labels: a set behind an inherited getter. */
class LabelledError extends Error {
  override readonly name = 'MongoServerError';
  readonly errorLabelSet: Set<string>;
  constructor(labels: readonly string[]) {
    super('labelled');
    this.errorLabelSet = new Set(labels);
  }
  get errorLabels(): string[] {
    return [...this.errorLabelSet];
  }
}

export const MONGO: readonly Row[] = [
  row(
    'case 26: 112 with its label',
    mongo(112, 'WriteConflict', { errorLabels: ['TransientTransactionError'] }),
    'transient',
    'mongo.write-conflict',
  ),
  row('112 alone', { message: 'WriteConflict', code: 112 }, 'transient', 'mongo.write-conflict'),
  row(
    'a label behind a getter',
    new LabelledError(['RetryableWriteError']),
    'transient',
    'mongo.transient-label',
  ),
  row(
    'overloaded by label',
    new LabelledError(['SystemOverloadedError', 'RetryableError']),
    'backpressure',
    'mongo.overloaded',
  ),
  row('case 26: 11000', mongo(11_000, 'DuplicateKey'), 'invalid', 'mongo.duplicate-key'),
  row('11000 alone', { message: 'x', code: 11_000 }, 'invalid', 'mongo.duplicate-key'),
  row(
    '11000 in a bulk write',
    err('MongoBulkWriteError', 'x', { writeErrors: [{ code: 11_000, errmsg: 'dup' }] }),
    'invalid',
    'mongo.duplicate-key',
  ),
  row('91, shutting down', mongo(91, 'ShutdownInProgress'), 'transient', 'mongo.unavailable'),
  row('189, stepped down', mongo(189, 'PrimarySteppedDown'), 'transient', 'mongo.unavailable'),
  row(
    '10107, not the primary',
    mongo(10_107, 'NotWritablePrimary'),
    'transient',
    'mongo.unavailable',
  ),
  row(
    'only the name of the code',
    { message: 'x', codeName: 'NotWritablePrimary' },
    'transient',
    'mongo.unavailable',
  ),
  row('50, over its time', mongo(50, 'MaxTimeMSExpired'), 'transient', 'mongo.unavailable'),
  row(
    '16500, Cosmos throttling',
    mongo(16_500, 'RequestRateTooLarge'),
    'backpressure',
    'mongo.overloaded',
  ),
  row(
    'no connection to lend',
    err('MongoWaitQueueTimeoutError', 'x'),
    'backpressure',
    'mongo.overloaded',
  ),
  row(
    'no server',
    err('MongoServerSelectionError', 'connect ECONNREFUSED', {
      reason: { type: 'Unknown', servers: new Map() },
    }),
    'transient',
    'mongo.network',
  ),
  row(
    'a network error',
    err('MongoNetworkError', 'connection 3 closed'),
    'transient',
    'mongo.network',
  ),
  row(
    'Mongoose without a connection',
    err('MongooseError', 'Operation `x.find()` buffering timed out after 10000ms'),
    'transient',
    'mongo.network',
  ),
  row('18, wrong password', mongo(18, 'AuthenticationFailed'), 'security', 'mongo.access-denied'),
  row(
    '121, refused document',
    mongo(121, 'DocumentValidationFailure'),
    'invalid',
    'mongo.rejected-data',
  ),
  row(
    'Mongoose: another version',
    err('VersionError', 'No matching document found for id'),
    'stale',
    'mongo.version',
  ),
  row('13 elsewhere is not MongoDB', { message: 'x', code: 13 }, 'unknown', 'unknown'),
];

const prisma = (code: string, meta: object = {}) =>
  err('PrismaClientKnownRequestError', 'Invalid `prisma.order.create()` invocation', {
    code,
    meta,
    clientVersion: '6.0.0',
  });
const adapter = (kind: string) =>
  prisma('P2010', {
    driverAdapterError: { name: 'DriverAdapterError', message: kind, cause: { kind } },
  });

export const PRISMA: readonly Row[] = [
  row('case 26: P2034', { code: 'P2034' }, 'transient', 'prisma.write-conflict'),
  row(
    'case 26: P2010 over a driver adapter',
    {
      code: 'P2010',
      meta: { driverAdapterError: { cause: { kind: 'TransactionWriteConflict' } } },
    },
    'transient',
    'prisma.write-conflict',
  ),
  row(
    'P2010 over a SQLSTATE',
    prisma('P2010', { code: '40001', message: 'could not serialize' }),
    'transient',
    'postgres.serialization-failure',
  ),
  row(
    'P2010 over an adapter’s original code',
    prisma('P2010', {
      driverAdapterError: {
        cause: { kind: 'postgres', originalCode: '40P01', originalMessage: 'x' },
      },
    }),
    'transient',
    'postgres.deadlock',
  ),
  row(
    'P2002, unique',
    prisma('P2002', { target: ['email'] }),
    'invalid',
    'prisma.unique-violation',
  ),
  row(
    'unique below a driver adapter',
    adapter('UniqueConstraintViolation'),
    'invalid',
    'prisma.unique-violation',
  ),
  row('P2024, the pool is empty', prisma('P2024'), 'backpressure', 'prisma.pool-timeout'),
  row('P2037, too many connections', prisma('P2037'), 'backpressure', 'prisma.pool-timeout'),
  row('P2028, the transaction took too long', prisma('P2028'), 'transient', 'prisma.transaction'),
  row('P1001, no server', prisma('P1001'), 'transient', 'prisma.connection'),
  row(
    'a closed connection below an adapter',
    adapter('ConnectionClosed'),
    'transient',
    'prisma.connection',
  ),
  row(
    'no server at start',
    err('PrismaClientInitializationError', "Can't reach database server at db:5432"),
    'transient',
    'prisma.connection',
  ),
  row('P2003, foreign key', prisma('P2003'), 'invalid', 'prisma.rejected-data'),
  row('P2025, the record is gone', prisma('P2025'), 'invalid', 'prisma.rejected-data'),
  row(
    'arguments that don’t fit',
    err('PrismaClientValidationError', 'Argument `id` is missing.'),
    'invalid',
    'prisma.rejected-data',
  ),
  row('P1000, wrong password', prisma('P1000'), 'security', 'prisma.access-denied'),
  row('P2021, no such table', prisma('P2021'), 'bug', 'prisma.schema-mismatch'),
];

const reply = (message: string) =>
  err('ReplyError', message, { command: { name: 'set', args: [] } });

export const REDIS: readonly Row[] = [
  row(
    'a replica after failover',
    reply("READONLY You can't write against a read only replica."),
    'transient',
    'redis.not-ready',
  ),
  row(
    'READONLY without its class',
    new Error("READONLY You can't write against a read only replica."),
    'transient',
    'redis.not-ready',
  ),
  row(
    'loading its data',
    reply('LOADING Redis is loading the dataset in memory'),
    'transient',
    'redis.not-ready',
  ),
  row('moved in the cluster', reply('MOVED 3999 127.0.0.1:6381'), 'transient', 'redis.not-ready'),
  row(
    'resharding',
    reply('TRYAGAIN Multiple keys request during rehashing of slot'),
    'transient',
    'redis.not-ready',
  ),
  row('cluster down', reply('CLUSTERDOWN The cluster is down'), 'transient', 'redis.not-ready'),
  row(
    'no replica to confirm',
    reply('NOREPLICAS Not enough good replicas to write.'),
    'transient',
    'redis.not-ready',
  ),
  row(
    'a script running',
    reply('BUSY Redis is busy running a script.'),
    'transient',
    'redis.not-ready',
  ),
  row(
    'out of memory',
    reply("OOM command not allowed when used memory > 'maxmemory'."),
    'backpressure',
    'redis.out-of-memory',
  ),
  row(
    'too many clients',
    reply('ERR max number of clients reached'),
    'backpressure',
    'redis.too-many-clients',
  ),
  row(
    'no password given',
    reply('NOAUTH Authentication required.'),
    'security',
    'redis.access-denied',
  ),
  row(
    'a wrong password',
    reply('WRONGPASS invalid username-password pair or user is disabled.'),
    'security',
    'redis.access-denied',
  ),
  row(
    'no permission',
    reply("NOPERM this user has no permissions to run the 'set' command"),
    'security',
    'redis.access-denied',
  ),
  row(
    'ioredis gave up',
    err('MaxRetriesPerRequestError', 'Reached the max retries per request limit (which is 20).'),
    'transient',
    'redis.connection',
  ),
  row('ioredis closed', new Error('Connection is closed.'), 'transient', 'redis.connection'),
  row('ioredis command timeout', new Error('Command timed out'), 'transient', 'redis.connection'),
  row(
    'node-redis socket',
    err('SocketClosedUnexpectedlyError', 'Socket closed unexpectedly'),
    'transient',
    'redis.connection',
  ),
  row(
    'node-redis closed',
    err('ClientClosedError', 'The client is closed'),
    'transient',
    'redis.connection',
  ),
  row(
    'WATCH lost',
    err('WatchError', 'One (or more) of the watched keys has been changed'),
    'transient',
    'redis.watch',
  ),
  row(
    'redlock held',
    err('ExecutionError', 'The operation was unable to achieve a quorum during its retry window.'),
    'transient',
    'redis.lock-held',
  ),
  row(
    'the wrong type',
    reply('WRONGTYPE Operation against a key holding the wrong kind of value'),
    'bug',
    'redis.wrong-use',
  ),
];
