/**
 * AWS SDK v3, v2 and plain API answers, by error name. Sources: smithy's service-error
 * classification and the common errors of the API references.
 */
import type { ErrorFacts } from '../types.ts';
import type { KeyedRule, Need } from './lookup.ts';
import {
  all,
  type Condition,
  field,
  fieldAt,
  message,
  named,
  needing,
  not,
  rule,
} from './match.ts';

/** v3 puts the error's id into `name`, v2 and raw answers into `code`. */
const aws = (...ids: readonly string[]): Condition => {
  const known = new Set(ids);
  return needing(
    ids.flatMap((id): Need[] => [`name:${id}`, `code:${id}`]),
    (error) => known.has(error.name) || (error.code !== undefined && known.has(error.code)),
  );
};

/** Shaped like an AWS error, whatever it is called. */
const isAws: Condition = (error) =>
  error.fields.$metadata !== undefined ||
  error.fields.$fault !== undefined ||
  /Exception$/.test(error.name);

const CANCELLED: readonly Need[] = [
  'name:TransactionCanceledException',
  'code:TransactionCanceledException',
];

/** Why a DynamoDB transaction was cancelled: `CancellationReasons`, else the list in the message. */
function cancelledFor(...reasons: readonly string[]): Condition {
  return needing(CANCELLED, (error) => {
    if (!isCancelled(error)) return false;
    const given = error.fields.CancellationReasons;
    const codes = Array.isArray(given)
      ? given.map((reason: unknown) => String((reason as { Code?: unknown } | null)?.Code))
      : (/\[([^\]]{0,4096})\]/.exec(error.message)?.[1] ?? '').split(/,\s*/);
    return codes.some((reason) => reasons.includes(reason));
  });
}

function isCancelled(error: ErrorFacts): boolean {
  return (
    error.name === 'TransactionCanceledException' || error.code === 'TransactionCanceledException'
  );
}

/** The sandbox clock is behind right after a thaw, so a signature may be too old or too new. */
const clockSkew = message(
  /signature (has )?expired|signature not yet current|expired: \d{8}T|request time too skewed|is not within .{0,20}of server time/i,
);

export const AWS_RULES: readonly KeyedRule[] = [
  // A transaction is as permanent as the worst of its reasons.
  rule('aws.transaction-condition', 'stale', cancelledFor('ConditionalCheckFailed')),
  rule(
    'aws.transaction-invalid',
    'invalid',
    cancelledFor('ValidationError', 'ItemCollectionSizeLimitExceeded', 'DuplicateItem'),
  ),
  rule(
    'aws.transaction-throttled',
    'backpressure',
    cancelledFor('ThrottlingError', 'ProvisionedThroughputExceeded', 'RequestLimitExceeded'),
  ),
  rule(
    'aws.transaction-conflict',
    'transient',
    needing(CANCELLED, isCancelled),
    aws(
      'TransactionConflictException',
      'TransactionInProgressException',
      'ReplicatedWriteConflictException',
    ),
  ),

  rule(
    'aws.clock-skew',
    'transient',
    aws('RequestTimeTooSkewed', 'RequestExpired', 'RequestInTheFuture'),
    all(
      aws(
        'InvalidSignatureException',
        'SignatureDoesNotMatch',
        'AuthFailure',
        'AccessDeniedException',
      ),
      clockSkew,
    ),
  ),
  // The role's credentials are renewed under a running function.
  rule(
    'aws.expired-token',
    'transient',
    aws('ExpiredToken', 'ExpiredTokenException', 'TokenRefreshRequired', 'RequestExpiredException'),
    message(/security token included in the request is expired/i),
  ),
  rule(
    'aws.credentials-unavailable',
    'transient',
    all(
      aws('CredentialsProviderError', 'CredentialsError', 'ProviderError', 'TokenProviderError'),
      message(/time(d )?-?out|ECONN|EHOST|ENET|EAI_|socket|network|connect|\b(429|5\d\d)\b/i),
    ),
  ),
  rule(
    'aws.credentials-missing',
    'security',
    aws('CredentialsProviderError', 'CredentialsError', 'TokenProviderError'),
  ),

  rule(
    'aws.throttled',
    'backpressure',
    aws(
      'BandwidthLimitExceeded',
      'EC2ThrottledException',
      'ENILimitReachedException',
      'KMSThrottlingException',
      'KmsThrottled',
      'LimitExceeded',
      'LimitExceededException',
      'OverLimit',
      'PriorRequestNotComplete',
      'ProvisionedThroughputExceeded',
      'ProvisionedThroughputExceededException',
      'RequestLimitExceeded',
      'RequestThrottled',
      'RequestThrottledException',
      'ServiceQuotaExceededException',
      'SlowDown',
      'ThrottledException',
      'Throttling',
      'Throttling.User',
      'ThrottlingException',
      'TooManyRequestsException',
      'TooManyRequests',
      'SnapStartNotReadyException',
      'SendingPausedException',
    ),
    needing(['field:$retryable'], (error) => fieldAt(error, '$retryable.throttling') === true),
    all(isAws, message(/throttl|rate exceeded|too many requests|reduce your request rate/i)),
  ),
  rule(
    'aws.condition-failed',
    'stale',
    aws(
      'ConditionalCheckFailedException',
      'PreconditionFailed',
      'PreconditionFailedException',
      'VersionMismatchException',
      'ConcurrentModificationException',
    ),
  ),
  rule(
    'aws.unavailable',
    'transient',
    aws(
      'InternalError',
      'InternalFailure',
      'InternalFailureException',
      'InternalServerError',
      'InternalServerException',
      'InternalServiceError',
      'InternalServiceException',
      'InternalServiceErrorException',
      'ServiceException',
      'ServiceUnavailable',
      'ServiceUnavailableException',
      'ServiceFailure',
      'Unavailable',
      'RequestTimeout',
      'RequestTimeoutException',
      'NetworkingError',
      'UnknownEndpoint',
      'OperationAborted',
      'ConditionalRequestConflict',
      'DependencyTimeoutException',
      'KMSInternalException',
      'EFSMountTimeoutException',
      'EFSMountConnectivityException',
      'ResourceNotReadyException',
      'ModelTimeoutException',
      'ModelNotReadyException',
      'IDPCommunicationError',
      'IDPCommunicationErrorException',
    ),
  ),
  rule(
    'aws.access-denied',
    'security',
    aws(
      'AccessDenied',
      'AccessDeniedException',
      'AccessDeniedFault',
      'AuthFailure',
      'AuthorizationError',
      'AuthorizationErrorException',
      'ForbiddenException',
      'IncompleteSignature',
      'IncompleteSignatureException',
      'InvalidAccessKeyId',
      'InvalidClientTokenId',
      'InvalidSignatureException',
      'KMSAccessDeniedException',
      'KmsAccessDenied',
      'KMSDisabledException',
      'KmsDisabled',
      'DisabledException',
      'MissingAuthenticationToken',
      'MissingAuthenticationTokenException',
      'NotAuthorized',
      'NotAuthorizedException',
      'OptInRequired',
      'SignatureDoesNotMatch',
      'UnauthorizedException',
      'UnauthorizedOperation',
      'UnrecognizedClientException',
      'InvalidIdentityToken',
      'InvalidIdentityTokenException',
    ),
  ),
  rule(
    'aws.not-found',
    'invalid',
    aws(
      'ResourceNotFoundException',
      'ResourceNotFound',
      'NotFoundException',
      'NoSuchKey',
      'NoSuchBucket',
      'NoSuchEntity',
      'NoSuchUpload',
      'ParameterNotFound',
      'QueueDoesNotExist',
      'AWS.SimpleQueueService.NonExistentQueue',
      'StateMachineDoesNotExist',
      'EndpointDisabledException',
      'EndpointDisabled',
    ),
  ),
  rule(
    'aws.rejected-request',
    'invalid',
    aws(
      'ValidationException',
      'BadRequestException',
      'InvalidRequestException',
      'InvalidRequestContentException',
      'InvalidParameter',
      'InvalidParameterException',
      'InvalidParameterValue',
      'InvalidParameterValueException',
      'InvalidParameterCombination',
      'InvalidInputException',
      'InvalidArgument',
      'InvalidMessageContents',
      'InvalidMessageContentsException',
      'MissingParameter',
      'MissingRequiredParameter',
      'MalformedQueryString',
      'SerializationException',
      'DeserializationException',
      'UnsupportedOperation',
      'UnsupportedOperationException',
      'UnsupportedMediaTypeException',
      'RequestTooLargeException',
      'RequestEntityTooLargeException',
      'EntityTooLarge',
      'MessageRejected',
      'ItemCollectionSizeLimitExceededException',
      'DuplicateItemException',
      'IdempotentParameterMismatchException',
      'IdempotentParameterMismatch',
      'ExecutionAlreadyExists',
      'EntityAlreadyExists',
      'ResourceExistsException',
      'RecursiveInvocationException',
    ),
  ),
  // A client fault without a status and without a name known here.
  rule(
    'aws.client-fault',
    'invalid',
    all(
      field('$fault', 'client'),
      (error) => error.status === undefined,
      not((error) => error.fields.$retryable !== undefined),
      not(named('TimeoutError', 'AbortError')),
    ),
  ),
];
