/** gRPC and Connect status codes; Google's APIs tell the same words as text. */
import type { ErrorFacts } from '../types.ts';
import type { KeyedRule, Need } from './lookup.ts';
import { type Condition, needing, rule } from './match.ts';

const CODES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;
type GrpcCode = (typeof CODES)[number];

const CLIENT_NAMES = [
  'ConnectError',
  'RpcError',
  'GrpcError',
  'GoogleError',
  'ServiceError',
  'ClientError',
];

/**
 * The status a link tells. A small number in `code` is one only beside `details` or `metadata`, on
 * a gRPC client's error, or when the message begins with it (`14 UNAVAILABLE: …`).
 */
function grpcCode({ name, message, fields }: ErrorFacts): string | undefined {
  const { code, status } = fields;
  if (typeof code === 'number') {
    const word = CODES[code];
    const sure =
      fields.details !== undefined ||
      fields.metadata !== undefined ||
      CLIENT_NAMES.includes(name) ||
      (word !== undefined && message.startsWith(`${code} ${word}`));
    if (sure && word !== undefined) return word;
  }
  const text = [status, code].find((value) => CODES.some((known) => known === value));
  return typeof text === 'string' ? text : undefined;
}

const grpc = (...codes: readonly GrpcCode[]): Condition =>
  needing(['number-code', 'field:status', ...CODES.map((word): Need => `code:${word}`)], (error) =>
    codes.some((known) => known === grpcCode(error)),
  );

export const GRPC_RULES: readonly KeyedRule[] = [
  rule('grpc.resource-exhausted', 'backpressure', grpc('RESOURCE_EXHAUSTED')),
  rule('grpc.permission-denied', 'security', grpc('PERMISSION_DENIED', 'UNAUTHENTICATED')),
  // The state of the system isn't what the call needs: what 409 and 412 say over HTTP.
  rule('grpc.failed-precondition', 'stale', grpc('FAILED_PRECONDITION')),
  rule(
    'grpc.rejected-request',
    'invalid',
    grpc('INVALID_ARGUMENT', 'NOT_FOUND', 'ALREADY_EXISTS', 'OUT_OF_RANGE', 'UNIMPLEMENTED'),
  ),
  rule('grpc.unavailable', 'transient', grpc('UNAVAILABLE')),
  rule('grpc.deadline-exceeded', 'transient', grpc('DEADLINE_EXCEEDED', 'CANCELLED')),
  // A transaction that lost; the whole of it may be tried again.
  rule('grpc.aborted', 'transient', grpc('ABORTED')),
  // What servers make of broken streams and of their own 500.
  rule('grpc.internal', 'transient', grpc('INTERNAL')),
  rule('grpc.unknown', 'unknown', grpc('UNKNOWN', 'DATA_LOSS')),
];
