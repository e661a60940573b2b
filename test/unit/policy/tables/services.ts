import { err, type Row, row } from './row.ts';

const aws = (name: string, message = 'no', httpStatusCode = 400, fields: object = {}) =>
  err(name, message, {
    $fault: httpStatusCode < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode, attempts: 3, requestId: 'r-1' },
    ...fields,
  });
const cancelled = (...codes: string[]) =>
  aws(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`,
    400,
    {
      CancellationReasons: codes.map((Code) => ({ Code })),
    },
  );

export const AWS: readonly Row[] = [
  row(
    'ThrottlingException',
    aws('ThrottlingException', 'Rate exceeded'),
    'backpressure',
    'aws.throttled',
  ),
  row(
    'DynamoDB capacity',
    aws('ProvisionedThroughputExceededException'),
    'backpressure',
    'aws.throttled',
  ),
  row(
    'S3 SlowDown',
    aws('SlowDown', 'Please reduce your request rate.', 503),
    'backpressure',
    'aws.throttled',
  ),
  row(
    'Lambda concurrency',
    aws('TooManyRequestsException', 'Rate Exceeded.', 429, { retryAfterSeconds: '10' }),
    'backpressure',
    'http.too-many-requests',
  ),
  row('LimitExceededException', aws('LimitExceededException'), 'backpressure', 'aws.throttled'),
  row(
    'the throttling trait',
    aws('SomethingNew', 'x', 400, { $retryable: { throttling: true } }),
    'backpressure',
    'aws.throttled',
  ),
  row(
    'SDK v2 puts it into code',
    err('Error', 'Rate exceeded', { code: 'Throttling', retryable: true, statusCode: 400 }),
    'backpressure',
    'aws.throttled',
  ),
  row(
    'case 36: throttling under another name',
    { name: 'ClientException', message: 'Call failed due to throttling: too many tasks' },
    'backpressure',
    'aws.throttled',
  ),
  row(
    '503 with Retry-After',
    aws('ServiceUnavailableException', 'x', 503, {
      $response: { statusCode: 503, headers: { 'retry-after': '7' } },
    }),
    'backpressure',
    'http.unavailable-retry-after',
  ),
  row('503', aws('ServiceUnavailable', 'x', 503), 'transient', 'aws.unavailable'),
  row('InternalServerError', aws('InternalServerError', 'x', 500), 'transient', 'aws.unavailable'),
  row(
    'RequestTimeout',
    aws('RequestTimeout', 'Your socket connection was not read in time', 400),
    'transient',
    'aws.unavailable',
  ),
  row('KMS internal', aws('KMSInternalException', 'x', 500), 'transient', 'aws.unavailable'),
  row('KMS throttled', aws('KMSThrottlingException'), 'backpressure', 'aws.throttled'),
  row(
    'TimeoutError of the HTTP handler',
    err('TimeoutError', 'Connection timed out after 1000 ms', { $metadata: { attempts: 3 } }),
    'transient',
    'abort.timeout',
  ),
  row(
    'ConditionalCheckFailedException',
    aws('ConditionalCheckFailedException'),
    'stale',
    'aws.condition-failed',
  ),
  row('S3 precondition', aws('PreconditionFailed', 'x', 412), 'stale', 'aws.condition-failed'),
  row(
    'a transaction that lost a race',
    cancelled('None', 'TransactionConflict'),
    'transient',
    'aws.transaction-conflict',
  ),
  row(
    'a transaction with a failed condition',
    cancelled('TransactionConflict', 'ConditionalCheckFailed'),
    'stale',
    'aws.transaction-condition',
  ),
  row(
    'a transaction throttled',
    cancelled('None', 'ThrottlingError'),
    'backpressure',
    'aws.transaction-throttled',
  ),
  row(
    'a transaction with an invalid item',
    cancelled('ValidationError'),
    'invalid',
    'aws.transaction-invalid',
  ),
  row(
    'a transaction whose reasons are only in words',
    {
      name: 'TransactionCanceledException',
      message:
        'Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None]',
    },
    'stale',
    'aws.transaction-condition',
  ),
  row(
    'TransactionConflictException',
    aws('TransactionConflictException'),
    'transient',
    'aws.transaction-conflict',
  ),
  row(
    'case 36: a signature too old',
    aws(
      'InvalidSignatureException',
      'Signature expired: 20260101T000000Z is now earlier than 20260101T001000Z',
      403,
    ),
    'transient',
    'aws.clock-skew',
  ),
  row(
    'a signature from the future',
    aws(
      'InvalidSignatureException',
      'Signature not yet current: 20260101T001000Z is still later than …',
      403,
    ),
    'transient',
    'aws.clock-skew',
  ),
  row(
    'case 36: a signature that does not match',
    aws(
      'InvalidSignatureException',
      'The request signature we calculated does not match the signature you provided.',
      403,
    ),
    'security',
    'aws.access-denied',
  ),
  row('RequestTimeTooSkewed', aws('RequestTimeTooSkewed', 'x', 403), 'transient', 'aws.clock-skew'),
  row(
    'case 36: ExpiredTokenException',
    aws('ExpiredTokenException', 'The security token included in the request is expired', 403),
    'transient',
    'aws.expired-token',
  ),
  row(
    'ExpiredToken of S3',
    aws('ExpiredToken', 'The provided token has expired.'),
    'transient',
    'aws.expired-token',
  ),
  row(
    'case 36: AccessDenied',
    aws('AccessDenied', 'Access Denied', 403),
    'security',
    'aws.access-denied',
  ),
  row(
    'AccessDeniedException',
    aws('AccessDeniedException', 'not authorized to perform: sqs:SendMessage'),
    'security',
    'aws.access-denied',
  ),
  row(
    'UnrecognizedClientException',
    aws('UnrecognizedClientException'),
    'security',
    'aws.access-denied',
  ),
  row(
    'no credentials',
    err('CredentialsProviderError', 'Could not load credentials from any providers'),
    'security',
    'aws.credentials-missing',
  ),
  row(
    'credentials that did not come in time',
    err('CredentialsProviderError', 'connect ETIMEDOUT 169.254.170.2:80'),
    'transient',
    'aws.credentials-unavailable',
  ),
  row('ResourceNotFoundException', aws('ResourceNotFoundException'), 'invalid', 'aws.not-found'),
  row('NoSuchKey', aws('NoSuchKey', 'x', 404), 'invalid', 'aws.not-found'),
  row('ValidationException', aws('ValidationException'), 'invalid', 'aws.rejected-request'),
  row(
    'a raw answer with __type',
    { __type: 'com.amazonaws.dynamodb.v20120810#ValidationException', message: 'x' },
    'invalid',
    'aws.rejected-request',
  ),
  row(
    'a raw answer with Code',
    { Code: 'SlowDown', message: 'x' },
    'backpressure',
    'aws.throttled',
  ),
  row(
    'a client fault nobody knows',
    { name: 'OddFault', message: 'x', $fault: 'client' },
    'invalid',
    'aws.client-fault',
  ),
  row(
    'a server fault nobody knows',
    aws('OddServiceException', 'x', 500),
    'transient',
    'http.server-error',
  ),
];

const grpc = (code: number, word: string) =>
  err('Error', `${code} ${word}: something`, {
    code,
    details: 'something',
    metadata: { internalRepr: new Map(), options: {} },
  });

export const GRPC: readonly Row[] = [
  row('1 CANCELLED', grpc(1, 'CANCELLED'), 'transient', 'grpc.deadline-exceeded'),
  row('2 UNKNOWN', grpc(2, 'UNKNOWN'), 'unknown', 'grpc.unknown'),
  row('3 INVALID_ARGUMENT', grpc(3, 'INVALID_ARGUMENT'), 'invalid', 'grpc.rejected-request'),
  row('4 DEADLINE_EXCEEDED', grpc(4, 'DEADLINE_EXCEEDED'), 'transient', 'grpc.deadline-exceeded'),
  row('5 NOT_FOUND', grpc(5, 'NOT_FOUND'), 'invalid', 'grpc.rejected-request'),
  row('6 ALREADY_EXISTS', grpc(6, 'ALREADY_EXISTS'), 'invalid', 'grpc.rejected-request'),
  row('7 PERMISSION_DENIED', grpc(7, 'PERMISSION_DENIED'), 'security', 'grpc.permission-denied'),
  row(
    '8 RESOURCE_EXHAUSTED',
    grpc(8, 'RESOURCE_EXHAUSTED'),
    'backpressure',
    'grpc.resource-exhausted',
  ),
  row('9 FAILED_PRECONDITION', grpc(9, 'FAILED_PRECONDITION'), 'stale', 'grpc.failed-precondition'),
  row('10 ABORTED', grpc(10, 'ABORTED'), 'transient', 'grpc.aborted'),
  row('11 OUT_OF_RANGE', grpc(11, 'OUT_OF_RANGE'), 'invalid', 'grpc.rejected-request'),
  row('12 UNIMPLEMENTED', grpc(12, 'UNIMPLEMENTED'), 'invalid', 'grpc.rejected-request'),
  row('13 INTERNAL', grpc(13, 'INTERNAL'), 'transient', 'grpc.internal'),
  row('14 UNAVAILABLE', grpc(14, 'UNAVAILABLE'), 'transient', 'grpc.unavailable'),
  row('15 DATA_LOSS', grpc(15, 'DATA_LOSS'), 'unknown', 'grpc.unknown'),
  row('16 UNAUTHENTICATED', grpc(16, 'UNAUTHENTICATED'), 'security', 'grpc.permission-denied'),
  row(
    'a number and the word in the message',
    { message: '14 UNAVAILABLE: no connection', code: 14 },
    'transient',
    'grpc.unavailable',
  ),
  row(
    'Connect',
    err('ConnectError', '[unavailable] x', { code: 14, rawMessage: 'x', metadata: new Headers() }),
    'transient',
    'grpc.unavailable',
  ),
  row(
    'grpc-web tells the word',
    err('RpcError', 'x', { code: 'RESOURCE_EXHAUSTED' }),
    'backpressure',
    'grpc.resource-exhausted',
  ),
  row(
    'Google’s JSON tells the word',
    { error: { code: 503, message: 'x', status: 'UNAVAILABLE' } },
    'transient',
    'grpc.unavailable',
  ),
  row('a small number alone is none', { message: 'x', code: 14 }, 'unknown', 'unknown'),
];

export const AMQP: readonly Row[] = [
  row(
    'refused by the broker',
    new Error(
      'Handshake terminated by server: 403 (ACCESS-REFUSED) with message "ACCESS_REFUSED - Login was refused"',
    ),
    'security',
    'amqp.access-refused',
  ),
  row(
    'maintenance',
    err(
      'Error',
      'Connection closed: 320 (CONNECTION-FORCED) with message "CONNECTION_FORCED - broker forced connection closure"',
      { code: 320, classId: 0, methodId: 0 },
    ),
    'transient',
    'amqp.connection',
  ),
  row('a heartbeat missed', new Error('Heartbeat timeout'), 'transient', 'amqp.connection'),
  row(
    'a channel already closed',
    err('IllegalOperationError', 'Channel closed'),
    'transient',
    'amqp.connection',
  ),
  row('refused by a full queue', new Error('message nacked'), 'backpressure', 'amqp.nacked'),
  row(
    'case 4: a null in amqplib’s encoder is not the handler’s mistake',
    err('TypeError', "Cannot read properties of null (reading 'toString')", {
      stack:
        "TypeError: Cannot read properties of null (reading 'toString')\n    at ConfirmChannel.publish (/app/node_modules/amqplib/lib/channel_model.js:1:2)\n    at handler (/var/task/index.mjs:1:2)",
    }),
    'unknown',
    'amqp.encoder',
  ),
  row(
    'case 4: the same in a bundle that keeps names',
    err('TypeError', "Cannot read properties of null (reading 'toString')", {
      stack:
        "TypeError: Cannot read properties of null (reading 'toString')\n    at encodeBasicProperties (/var/task/index.mjs:9:9)\n    at handler (/var/task/index.mjs:1:2)",
    }),
    'unknown',
    'amqp.encoder',
  ),
];
