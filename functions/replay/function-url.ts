import { ReplayError, type ReplayErrorCode } from './errors.ts';

/** The part of a Lambda function URL's event (payload format 2.0) that is read. */
export interface FunctionUrlEvent {
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestContext?: {
    readonly requestId?: string;
    readonly authorizer?: { readonly iam?: { readonly userArn?: string | null } | null } | null;
  };
}

export interface FunctionUrlAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The ARN of the caller whom AWS has verified: `AWS_IAM` auth of the function URL sets it. A direct
 * invocation may carry any event, this field included, so nobody must be able to make one: besides
 * `lambda:InvokeFunctionUrl` people hold `lambda:InvokeFunction`, which AWS asks for as well, only
 * under the condition that `lambda:InvokedViaFunctionUrl` is true.
 * @throws ReplayError `FORBIDDEN`
 */
export function callerOf(event: FunctionUrlEvent): string {
  const arn = event.requestContext?.authorizer?.iam?.userArn;
  if (typeof arn === 'string' && arn.startsWith('arn:')) return arn;
  throw new ReplayError(
    'FORBIDDEN',
    'Nobody knows who asks: call the function URL, signed (AWS_IAM).',
  );
}

/** @throws ReplayError `BAD_REQUEST` for a body that is no JSON */
export function requestOf({ body, isBase64Encoded }: FunctionUrlEvent): unknown {
  const text = isBase64Encoded === true ? Buffer.from(body ?? '', 'base64').toString() : body;
  try {
    return JSON.parse(text ?? '');
  } catch (cause) {
    throw new ReplayError('BAD_REQUEST', 'The request has no JSON body.', { cause });
  }
}

/** @throws ReplayError `TOO_LARGE` for what Lambda would not hand on, and the caller never see */
export function answer(value: unknown): FunctionUrlAnswer {
  const answered = json(200, value);
  const bytes = Buffer.byteLength(answered.body);
  if (bytes <= MAX_ANSWER_BYTES) return answered;
  throw new ReplayError(
    'TOO_LARGE',
    `The answer has ${(bytes / 1e6).toFixed(1)} MB, and Lambda hands on 6: ask for less (audit: --limit, --run or --from; a body so large is read from the broker).`,
  );
}

/** Lambda's limit is 6 MB for the whole answer, in which each quote of the body takes a backslash more. */
const MAX_ANSWER_BYTES = 4_500_000;

/** Errors of the engine with their code and message; anything else without its details. */
export function answerError(error: unknown): FunctionUrlAnswer {
  if (error instanceof ReplayError) {
    return json(STATUS[error.code], { code: error.code, message: error.message });
  }
  return json(500, { code: 'INTERNAL', message: 'It failed; the log of the function says why.' });
}

const STATUS: Readonly<Record<ReplayErrorCode, number>> = {
  BAD_REQUEST: 400,
  FLOW_UNKNOWN: 404,
  MESSAGE_UNKNOWN: 404,
  TOO_LARGE: 413,
  POLLERS: 502,
  FORBIDDEN: 403,
  PLAN_UNKNOWN: 404,
  PLAN_EXPIRED: 409,
  PLAN_USED: 409,
  PLAN_DAMAGED: 409,
  WRONG_ENVIRONMENT: 409,
  WRONG_FLOW: 409,
  RUN_ACTIVE: 409,
  LOCK_HELD: 409,
  LEASE_LOST: 409,
  SWITCHED_OFF: 409,
  STORE: 500,
};

function json(statusCode: number, value: unknown): FunctionUrlAnswer {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { statusCode, headers, body: toJson(value) };
}

/** An answer as text. A message may carry integers beyond what JSON's numbers hold. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, field) =>
    typeof field === 'bigint' ? field.toString() : field,
  );
  return text ?? 'null';
}
