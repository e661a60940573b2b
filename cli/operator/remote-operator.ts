import { Sha256 } from '@aws-crypto/sha256-js';
import { GetFunctionUrlConfigCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Answers, Wire } from '../../functions/replay/operations/answers.ts';
import type { Operation, Permission } from '../../functions/replay/operator.ts';
import { type Fields, type Operator, permissionOf } from './operator.ts';
import { answerError, type Destination, fetchError, lookupError } from './way-errors.ts';

/** The alias the function URLs are on: the version that is deployed. */
const ALIAS = 'live';
/** A look at a deep queue takes up to two minutes. */
const ANSWER_MS = 180_000;

export interface RemoteOptions {
  readonly environment: string;
  /** Undefined: as the SDK finds it (AWS_REGION, the profile). */
  readonly region: string | undefined;
  /** As the person wrote them, for commands to follow. */
  readonly flags: string;
  readonly flows: readonly string[];
}

/**
 * The functions of a deployed environment, called at their URLs and signed with the caller's own AWS
 * credentials, so that the audit knows who it was. Credentials and region are found as the AWS CLI
 * finds them.
 */
export function remoteOperator(options: RemoteOptions): Operator {
  const { environment, region } = options;
  const lambda = new LambdaClient({ maxAttempts: 3, ...(region === undefined ? {} : { region }) });
  const urls = new Map<Permission, Promise<URL>>();

  const find = async (to: Destination): Promise<URL> => {
    try {
      const { FunctionUrl } = await lambda.send(
        new GetFunctionUrlConfigCommand({ FunctionName: to.functionName, Qualifier: ALIAS }),
      );
      return new URL(FunctionUrl ?? '');
    } catch (error) {
      throw lookupError(error, to);
    }
  };

  const destination = async (permission: Permission): Promise<Destination> => {
    const functionName = functionNameOf(environment, permission);
    const unknown = { environment, permission, functionName, region: 'its region' };
    try {
      return { ...unknown, region: await lambda.config.region() };
    } catch (error) {
      throw lookupError(error, unknown);
    }
  };

  return {
    environment,
    deployed: true,
    flags: options.flags,
    flows: options.flows,

    async ask<O extends Operation>(operation: O, fields: Fields = {}, permission?: Permission) {
      const allowed = permission ?? permissionOf(operation);
      const to = await destination(allowed);
      const known = urls.get(allowed) ?? find(to);
      urls.set(allowed, known);
      const url = await known.catch((error: unknown) => {
        // What was refused now may be granted the next time.
        urls.delete(allowed);
        throw error;
      });
      const body = JSON.stringify({ ...fields, operation });
      const signed = await sign(lambda, to, url, body);
      const answer = await send(url, signed, body, to);
      if (answer.status !== 200) throw answerError(answer, to, Date.now());
      return JSON.parse(answer.text) as Wire<Answers[O]>;
    },

    close: async () => lambda.destroy(),
  };
}

/** As the deployment names the function of a permission. */
export function functionNameOf(environment: string, permission: Permission): string {
  return `layover-${environment}-replay-${permission === 'replay' ? 'run' : permission}`;
}

async function sign(lambda: LambdaClient, to: Destination, url: URL, body: string) {
  const signer = new SignatureV4({
    service: 'lambda',
    region: to.region,
    sha256: Sha256,
    credentials: lambda.config.credentials,
  });
  try {
    // How far the clock of this machine is off, as the SDK has learnt by asking for the URL.
    const { systemClockOffset = 0 } = lambda.config;
    const { headers } = await signer.sign(
      {
        method: 'POST',
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        headers: { host: url.host, 'content-type': 'application/json' },
        body,
      },
      { signingDate: new Date(Date.now() + systemClockOffset) },
    );
    return headers;
  } catch (error) {
    throw lookupError(error, to);
  }
}

async function send(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  to: Destination,
) {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(url, { method: 'POST', headers, body, signal });
    const date = answer.headers.get('date');
    return { status: answer.status, text: await answer.text(), date };
  } catch (error) {
    throw fetchError(error, to);
  }
}
