/** MongoDB's driver and Mongoose (and compatibles: DocumentDB, Cosmos DB), by label, name and number. */
import type { ErrorFacts } from '../types.ts';
import type { KeyedRule } from './lookup.ts';
import { all, type Condition, field, message, named, needing, rule } from './match.ts';

const label = (...labels: readonly string[]): Condition =>
  needing(
    ['field:errorLabels'],
    ({ fields: { errorLabels } }) =>
      Array.isArray(errorLabels) && labels.some((known) => errorLabels.includes(known)),
  );

/** Small numbers mean other things elsewhere, so they only count on an error that looks like MongoDB's. */
const number = (...numbers: readonly number[]): Condition => {
  const known = new Set(numbers);
  return needing(['number-code'], (error) => {
    const { code } = error.fields;
    return typeof code === 'number' && known.has(code) && (code > 9_000 || looksLikeMongo(error));
  });
};

function looksLikeMongo({ name, fields }: ErrorFacts): boolean {
  return (
    /^Mongo/.test(name) ||
    fields.codeName !== undefined ||
    fields.errorLabels !== undefined ||
    fields.errmsg !== undefined ||
    fields.writeErrors !== undefined
  );
}

/** WriteConflict stands alone in reports often enough. */
const writeConflict: Condition = needing(
  ['number-code', 'field:codeName'],
  ({ fields }) => fields.code === 112 || fields.codeName === 'WriteConflict',
);

export const MONGO_RULES: readonly KeyedRule[] = [
  rule(
    'mongo.duplicate-key',
    'invalid',
    number(11_000, 11_001, 12_582),
    message(/^E11000 duplicate key/),
  ),
  rule(
    'mongo.overloaded',
    'backpressure',
    label('SystemOverloadedError'),
    named('MongoWaitQueueTimeoutError', 'WaitQueueTimeoutError'),
    number(16_500, 462),
  ),
  rule('mongo.write-conflict', 'transient', writeConflict),
  rule(
    'mongo.transient-label',
    'transient',
    label(
      'TransientTransactionError',
      'RetryableWriteError',
      'RetryableError',
      'UnknownTransactionCommitResult',
      'PoolRequestedRetry',
      'PoolRequstedRetry',
      'ResetPool',
      'HandshakeError',
      'ResumableChangeStreamError',
    ),
  ),
  rule(
    'mongo.access-denied',
    'security',
    number(13, 18, 8_000, 31),
    named('MongoMissingCredentialsError'),
  ),
  // The numbers of the drivers' retryable-writes and retryable-reads specifications, and timeouts.
  rule(
    'mongo.unavailable',
    'transient',
    number(
      6,
      7,
      24,
      43,
      46,
      50,
      63,
      64,
      89,
      91,
      133,
      134,
      150,
      189,
      234,
      251,
      262,
      9_001,
      10_058,
      10_107,
      11_600,
      11_602,
      13_388,
      13_435,
      13_436,
    ),
    field(
      'codeName',
      'NotWritablePrimary',
      'NotPrimaryNoSecondaryOk',
      'NotPrimaryOrSecondary',
      'PrimarySteppedDown',
      'ShutdownInProgress',
      'InterruptedDueToReplStateChange',
      'InterruptedAtShutdown',
      'HostUnreachable',
      'HostNotFound',
      'NetworkTimeout',
      'SocketException',
      'ExceededTimeLimit',
      'MaxTimeMSExpired',
      'LockTimeout',
    ),
    message(/^not (primary|master)\b|^node is recovering/i),
  ),
  rule(
    'mongo.network',
    'transient',
    named(
      'MongoNetworkError',
      'MongoNetworkTimeoutError',
      'MongoServerSelectionError',
      'MongooseServerSelectionError',
      'MongoPoolClearedError',
      'MongoPoolClosedError',
      'MongoTopologyClosedError',
      'MongoNotConnectedError',
      'MongoServerClosedError',
      'MongoOperationTimeoutError',
      'MongoClientClosedError',
      'PoolClearedOnNetworkError',
    ),
    all(named('MongooseError'), message(/buffering timed out/)),
  ),
  rule(
    'mongo.rejected-data',
    'invalid',
    number(2, 9, 14, 66, 121, 10_334, 17_280, 17_419),
    named('BSONError', 'BSONVersionError', 'MongoInvalidArgumentError'),
  ),
  rule(
    'mongo.version',
    'stale',
    named('VersionError', 'DocumentNotFoundError', 'ParallelSaveError'),
  ),
];
