/** MySQL and MariaDB (mysql2, mysql, mariadb), by error number, or by symbol when only that is there. */
import type { KeyedRule } from './lookup.ts';
import { type Condition, code, message, needing, rule } from './match.ts';

/** The number is in `errno`, and positive; Node's own are negative. */
const errno = (...numbers: readonly number[]): Condition => {
  const known = new Set(numbers);
  return needing(['errno'], ({ errno }) => errno !== undefined && known.has(errno));
};

export const MYSQL_RULES: readonly KeyedRule[] = [
  rule(
    'mysql.duplicate-entry',
    'invalid',
    errno(1062, 1169, 1586),
    code('ER_DUP_ENTRY', 'ER_DUP_UNIQUE', 'ER_DUP_ENTRY_WITH_KEY_NAME'),
  ),
  rule(
    'mysql.deadlock',
    'transient',
    errno(1213, 1614),
    code('ER_LOCK_DEADLOCK', 'ER_XA_RBDEADLOCK'),
  ),
  rule(
    'mysql.lock-wait-timeout',
    'transient',
    errno(1205, 3572),
    code('ER_LOCK_WAIT_TIMEOUT', 'ER_LOCK_NOWAIT'),
  ),
  rule(
    'mysql.too-many-connections',
    'backpressure',
    errno(1040, 1203, 1226, 45028),
    code(
      'ER_CON_COUNT_ERROR',
      'ER_TOO_MANY_USER_CONNECTIONS',
      'ER_USER_LIMIT_REACHED',
      'ER_GET_CONNECTION_TIMEOUT',
    ),
  ),
  rule(
    'mysql.pool-exhausted',
    'backpressure',
    code('POOL_CONNLIMIT', 'POOL_ENQUEUELIMIT'),
    message(/^(No connections available\.|Queue limit reached\.)$/),
  ),
  rule(
    'mysql.out-of-resources',
    'backpressure',
    errno(1021, 1037, 1041, 1114, 1135),
    code(
      'ER_DISK_FULL',
      'ER_OUTOFMEMORY',
      'ER_OUT_OF_RESOURCES',
      'ER_RECORD_FILE_FULL',
      'ER_CANT_CREATE_THREAD',
    ),
  ),
  rule(
    'mysql.connection',
    'transient',
    errno(1053, 1077, 1158, 1159, 1160, 1161, 1927, 2002, 2003, 2006, 2013, 2055, 4031),
    code(
      'PROTOCOL_CONNECTION_LOST',
      'PROTOCOL_SEQUENCE_TIMEOUT',
      'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
      'PROTOCOL_ENQUEUE_AFTER_QUIT',
      'ER_SERVER_SHUTDOWN',
      'ER_CONNECTION_KILLED',
      'ER_CLIENT_INTERACTION_TIMEOUT',
      'ER_SOCKET_UNEXPECTED_CLOSE',
      'ER_CONNECTION_TIMEOUT',
      'ER_SOCKET_TIMEOUT',
      'ER_CMD_CONNECTION_CLOSED',
    ),
    message(
      /^(Connection lost: The server closed the connection\.|Can't add new command when connection is in closed state)/,
    ),
  ),
  // A failover left us talking to a reader.
  rule(
    'mysql.read-only',
    'transient',
    errno(1290, 1792, 1836, 3100),
    code(
      'ER_OPTION_PREVENTS_STATEMENT',
      'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
      'ER_READ_ONLY_MODE',
    ),
  ),
  rule(
    'mysql.query-interrupted',
    'transient',
    errno(1317, 1969, 3024),
    code('ER_QUERY_INTERRUPTED', 'ER_STATEMENT_TIMEOUT', 'ER_QUERY_TIMEOUT'),
  ),
  rule(
    'mysql.access-denied',
    'security',
    errno(1044, 1045, 1142, 1143, 1227, 1370, 1698, 3118, 1820),
    code(
      'ER_DBACCESS_DENIED_ERROR',
      'ER_ACCESS_DENIED_ERROR',
      'ER_TABLEACCESS_DENIED_ERROR',
      'ER_COLUMNACCESS_DENIED_ERROR',
      'ER_SPECIFIC_ACCESS_DENIED_ERROR',
      'ER_PROCACCESS_DENIED_ERROR',
      'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
      'ER_ACCOUNT_HAS_BEEN_LOCKED',
      'ER_MUST_CHANGE_PASSWORD',
      'HANDSHAKE_SSL_ERROR',
      'HANDSHAKE_NO_SSL_SUPPORT',
    ),
  ),
  rule(
    'mysql.rejected-data',
    'invalid',
    errno(
      1048,
      1216,
      1217,
      1264,
      1265,
      1292,
      1364,
      1366,
      1406,
      1411,
      1425,
      1426,
      1451,
      1452,
      1644,
      1690,
      3140,
      3819,
      4025,
      1153,
    ),
    code(
      'ER_BAD_NULL_ERROR',
      'ER_NO_REFERENCED_ROW',
      'ER_ROW_IS_REFERENCED',
      'ER_NO_REFERENCED_ROW_2',
      'ER_ROW_IS_REFERENCED_2',
      'ER_WARN_DATA_OUT_OF_RANGE',
      'WARN_DATA_TRUNCATED',
      'ER_TRUNCATED_WRONG_VALUE',
      'ER_NO_DEFAULT_FOR_FIELD',
      'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD',
      'ER_DATA_TOO_LONG',
      'ER_DATA_OUT_OF_RANGE',
      'ER_INVALID_JSON_TEXT',
      'ER_CHECK_CONSTRAINT_VIOLATED',
      'ER_SIGNAL_EXCEPTION',
      'ER_NET_PACKET_TOO_LARGE',
    ),
  ),
  rule(
    'mysql.schema-mismatch',
    'bug',
    errno(1049, 1051, 1054, 1064, 1146, 1149, 1305),
    code(
      'ER_BAD_DB_ERROR',
      'ER_BAD_TABLE_ERROR',
      'ER_BAD_FIELD_ERROR',
      'ER_PARSE_ERROR',
      'ER_NO_SUCH_TABLE',
      'ER_SYNTAX_ERROR',
      'ER_SP_DOES_NOT_EXIST',
    ),
  ),
];
