import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Context } from 'aws-lambda';
import type { Flow } from '../../functions/policy/types.ts';
import {
  OPERATIONS,
  type OperatorPorts,
  type Permission,
} from '../../functions/replay/operator.ts';
import { operatorHandler } from '../../functions/replay/operator-handler.ts';

/** Somebody who has credentials, and what their policies let them do. */
export interface Person {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly arn: string;
  readonly may: readonly Permission[];
}

export const ADA: Person = {
  accessKeyId: 'AKIAADA',
  secretAccessKey: 'secret-of-ada',
  arn: 'arn:aws:sts::123456789012:assumed-role/oncall/ada',
  may: ['view', 'bodies', 'replay', 'configure'],
};
export const BOB: Person = {
  accessKeyId: 'AKIABOB',
  secretAccessKey: 'secret-of-bob',
  arn: 'arn:aws:sts::123456789012:assumed-role/support/bob',
  may: ['view'],
};

const REGION = 'eu-central-1';
const SIGNATURE_MS = 5 * 60_000;
const LOOKUP = /^\/2021-10-31\/functions\/([^/]+)\/url\?Qualifier=live$/;

/** What a test may make the functions do instead of answering. */
export type Fault = Answer | 'hang up';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The function URLs of an environment on loopback: Lambda's `GetFunctionUrlConfig`, and the URLs with the
 * real handlers behind them. Signatures are checked as AWS does, by computing them again with the library.
 */
export class OperatorFunctions {
  /** `permission operation` of each request that reached a handler, in order. */
  readonly asked: string[] = [];
  /** Deployed environment; another one has no functions. */
  environment = 'dev';
  /** By how much the clock of AWS differs from this machine's. */
  clockMs = 0;
  fault: (permission: Permission) => Fault | undefined = () => undefined;
  readonly #people: readonly Person[];
  readonly #handlers: Readonly<Record<Permission, ReturnType<typeof operatorHandler>>>;
  readonly #server: Server;

  private constructor(
    flows: readonly Flow<never>[],
    open: () => OperatorPorts,
    people: readonly Person[],
  ) {
    this.#people = people;
    this.#handlers = {
      view: operatorHandler('view', flows, open),
      bodies: operatorHandler('bodies', flows, open),
      replay: operatorHandler('replay', flows, open),
      configure: operatorHandler('configure', flows, open),
    };
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const answer = await this.#answer(request, Buffer.concat(chunks).toString());
      if (answer === 'hang up') return void request.socket.destroy();
      const date = new Date(Date.now() + this.clockMs).toUTCString();
      response.writeHead(answer.status, {
        'content-type': 'application/json',
        date,
        ...answer.headers,
      });
      response.end(answer.text);
    });
  }

  static async start(
    flows: readonly Flow<never>[],
    open: () => OperatorPorts,
    people: readonly Person[] = [ADA, BOB],
  ): Promise<OperatorFunctions> {
    const functions = new OperatorFunctions(flows, open, people);
    functions.#server.listen(0, '127.0.0.1');
    await once(functions.#server, 'listening');
    return functions;
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What a person has in their environment to reach them. */
  env({ accessKeyId, secretAccessKey }: Pick<Person, 'accessKeyId' | 'secretAccessKey'> = ADA) {
    return {
      AWS_ENDPOINT_URL_LAMBDA: this.#origin,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_EC2_METADATA_DISABLED: 'true',
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, body: string): Promise<Fault> {
    const [, name] = LOOKUP.exec(request.url ?? '') ?? [];
    const permission = this.#permissionOf(name ?? request.url?.split('/')[1] ?? '');
    const person = await this.#caller(request, body);
    if (typeof person === 'string') {
      const text = JSON.stringify({ message: person });
      return { status: 403, text, headers: { 'x-amzn-errortype': errorTypeOf(person) } };
    }
    if (permission === undefined) return failed(404, 'ResourceNotFoundException');
    if (!person.may.includes(permission)) {
      if (name !== undefined) return failed(403, 'AccessDeniedException');
      return { status: 403, text: '{"Message":"Forbidden. For troubleshooting see the docs."}' };
    }
    if (name !== undefined) {
      const FunctionUrl = `${this.#origin}/${name}/`;
      const text = JSON.stringify({ FunctionUrl, FunctionArn: name, AuthType: 'AWS_IAM' });
      return { status: 200, text };
    }
    const fault = this.fault(permission);
    if (fault !== undefined) return fault;
    this.asked.push(`${permission} ${(JSON.parse(body) as { operation: string }).operation}`);
    const iam = { userArn: person.arn };
    const context = {
      awsRequestId: `req-${this.asked.length}`,
      getRemainingTimeInMillis: () => 60_000,
    };
    const event = { body, requestContext: { authorizer: { iam } } };
    const answer = await this.#handlers[permission](event, context as unknown as Context);
    return { status: answer.statusCode, text: answer.body };
  }

  #permissionOf(functionName: string): Permission | undefined {
    const prefix = `layover-${this.environment}-replay-`;
    if (!functionName.startsWith(prefix)) return undefined;
    const suffix = functionName.slice(prefix.length);
    const all = Object.keys(OPERATIONS) as Permission[];
    return all.find((known) => (known === 'replay' ? 'run' : known) === suffix);
  }

  /** The one whose signature it is; else what AWS says of the signature. */
  async #caller(request: IncomingMessage, body: string): Promise<Person | string> {
    const { authorization = '' } = request.headers;
    const stamp = String(request.headers['x-amz-date'] ?? '');
    const [, id, scope, signed] =
      /Credential=([^/]+)\/\d+\/([^,]+), SignedHeaders=([^,]+), Signature=/.exec(authorization) ??
      [];
    const person = this.#people.find(({ accessKeyId }) => accessKeyId === id);
    if (person === undefined) return 'The security token included in the request is invalid.';
    const at = new Date(
      stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
    );
    const off = Date.now() + this.clockMs - at.getTime();
    if (Math.abs(off) > SIGNATURE_MS) {
      return off > 0
        ? `Signature expired: ${stamp} is now earlier`
        : `Signature not yet current: ${stamp}`;
    }
    const url = new URL(request.url ?? '', this.#origin);
    const headers = Object.fromEntries(
      (signed ?? '')
        .split(';')
        .filter((header) => !['x-amz-date', 'x-amz-content-sha256'].includes(header))
        .map((header) => [header, String(request.headers[header] ?? '')]),
    );
    const signer = new SignatureV4({
      service: 'lambda',
      region: REGION,
      sha256: Sha256,
      credentials: person,
    });
    const again = await signer.sign(
      {
        method: request.method ?? '',
        protocol: 'http:',
        hostname: '127.0.0.1',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers,
        body,
      },
      { signingDate: at },
    );
    if (
      scope === `${REGION}/lambda/aws4_request` &&
      again.headers.authorization === authorization
    ) {
      return person;
    }
    return 'The request signature we calculated does not match the signature you provided.';
  }
}

function errorTypeOf(said: string): string {
  return said.startsWith('The security token')
    ? 'UnrecognizedClientException'
    : 'InvalidSignatureException';
}

function failed(status: number, error: string): Answer {
  const text = JSON.stringify({ Type: 'User', Message: error });
  return { status, text, headers: { 'x-amzn-errortype': error } };
}
