import type { Permission } from '../../functions/replay/operator.ts';
import { OperatorError } from './operator-error.ts';

/** Where a request was going. */
export interface Destination {
  readonly environment: string;
  readonly region: string;
  readonly permission: Permission;
  /** The managed policy that grants the permission has the same name. */
  readonly functionName: string;
}

/** What it means that Lambda did not say where the function is. */
export function lookupError(error: unknown, to: Destination): OperatorError {
  const { name, message, code } = partsOf(error);
  const fail = (kind: ConstructorParameters<typeof OperatorError>[0], text: string) =>
    new OperatorError(kind, text, { cause: error });
  if (name === 'ResourceNotFoundException') {
    return fail(
      'NOT_DEPLOYED',
      `There is no function ${to.functionName} in ${to.region}. Is ${to.environment} deployed there? Another region: --region <region>; another account: other credentials, such as AWS_PROFILE=<profile>.`,
    );
  }
  if (/AccessDenied|NotAuthorized/.test(name)) return fail('NO_PERMISSION', mayNot(to));
  const skew = skewOf(`${name} ${message}`);
  if (skew !== undefined) return fail('CLOCK_SKEW', skew);
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError') {
    return fail('NO_CREDENTIALS', noCredentials(message));
  }
  if (/UnrecognizedClient|InvalidSignature|ExpiredToken|InvalidClientToken/.test(name)) {
    return fail('NO_CREDENTIALS', badCredentials(message));
  }
  if (/TooManyRequests|Throttl/.test(name)) {
    return fail('THROTTLED', 'AWS is being asked too often; try again in a moment.');
  }
  if (/Region is missing/.test(message)) {
    return fail(
      'NO_REGION',
      `The region of ${to.environment} is not known: give --region, set AWS_REGION, or write it in infra/environments.ts.`,
    );
  }
  return fail('NETWORK', noAnswer(`Lambda in ${to.region}`, code || message));
}

/** What it means that the function's URL was not reached. */
export function fetchError(error: unknown, { functionName }: Destination): OperatorError {
  const { name, message, code } = partsOf(error);
  if (name === 'TimeoutError') {
    const text = `${functionName} gave no answer in time. What it was asked may still be going on: layover status says so.`;
    return new OperatorError('NETWORK', text, { cause: error });
  }
  return new OperatorError('NETWORK', noAnswer(functionName, code || message), { cause: error });
}

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  /** The server's `date` header. */
  readonly date: string | null;
}

/** What it means that the function's URL answered with an error. */
export function answerError(answer: RawAnswer, to: Destination, nowMs: number): OperatorError {
  const { status, text, date } = answer;
  const { code, message, Message } = parsed(text);
  if (typeof code === 'string' && typeof message === 'string') {
    if (code === 'INTERNAL') return new OperatorError('FUNCTION_FAILED', logHint(to, message));
    // Unlike AWS, our own function knows what was asked and says it.
    return new OperatorError(code as OperatorError['code'], message);
  }
  const said = [message, Message].find((part) => typeof part === 'string') ?? '';
  if (status === 403) {
    const skew = skewOf(said, date, nowMs);
    if (skew !== undefined) return new OperatorError('CLOCK_SKEW', skew);
    if (/token|signature|credential/i.test(said)) {
      return new OperatorError('NO_CREDENTIALS', badCredentials(said));
    }
    return new OperatorError('NO_PERMISSION', mayNot(to));
  }
  if (status === 404) {
    const gone = `The URL of ${to.functionName} leads nowhere: was ${to.environment} deployed a moment ago? Try again.`;
    return new OperatorError('NOT_DEPLOYED', gone);
  }
  if (status === 429) {
    const busy = `${to.functionName} is busy; try again in a moment.`;
    return new OperatorError('THROTTLED', busy);
  }
  return new OperatorError('FUNCTION_FAILED', logHint(to, `It answered ${status}. ${said}`.trim()));
}

function mayNot({ environment, permission, functionName }: Destination): string {
  return `You may not call ${functionName}: this takes the permission '${permission}' in ${environment}. Who you are says: aws sts get-caller-identity. The managed policy ${functionName} grants it; ask whoever gives you your role to attach it.`;
}

function noCredentials(why: string): string {
  return `No AWS credentials were found (${why}). Sign in (aws sso login --profile <profile>) and set AWS_PROFILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`;
}

function badCredentials(why: string): string {
  return `AWS does not accept your credentials (${why}). They may have expired: sign in again (aws sso login), or check AWS_PROFILE.`;
}

function noAnswer(what: string, why: string): string {
  return `${what} can't be reached: ${why}. Is there a network, and does a proxy or VPN stand between?`;
}

function logHint({ functionName, region }: Destination, what: string): string {
  return `${functionName} failed. ${what}\nIts log: aws logs tail /aws/lambda/${functionName} --since 10m --region ${region}`;
}

/** A signature is good for five minutes: an older or a younger one means that a clock is wrong. */
function skewOf(said: string, date?: string | null, nowMs = Date.now()): string | undefined {
  if (!/signature (expired|not yet current)|RequestExpired|RequestTimeTooSkewed/i.test(said)) {
    return undefined;
  }
  const offMs = date ? nowMs - Date.parse(date) : Number.NaN;
  const by = Number.isFinite(offMs)
    ? ` by ${Math.max(1, Math.round(Math.abs(offMs) / 60_000))} min (${offMs > 0 ? 'ahead' : 'behind'})`
    : '';
  return `The clock of this machine is off${by}, so AWS refuses what it signs. Set the clock and try again.`;
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Of `fetch failed` the cause tells more; so does the code of a refused connection. */
function partsOf(error: unknown): { name: string; message: string; code: string } {
  const { name, message, code, cause } = (error ?? {}) as {
    readonly name?: string;
    readonly message?: string;
    readonly code?: unknown;
    readonly cause?: { readonly code?: unknown };
  };
  const known = [cause?.code, code].find((value) => typeof value === 'string');
  return { name: name ?? '', message: message ?? String(error), code: String(known ?? '') };
}
