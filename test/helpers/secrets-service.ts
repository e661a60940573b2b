import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the service answers: a secret's text, or the name of an error. */
export type SecretAnswer = { readonly text: string } | { readonly error: string };

/**
 * A small HTTP server that speaks Secrets Manager's JSON protocol, so that the real SDK client is
 * tested and not a copy of it. `answer` is asked for each read and may change between reads.
 */
export class SecretsService {
  /** The secret ids asked for, in order. */
  readonly reads: string[] = [];
  answer: (read: number) => SecretAnswer | 'silence';
  readonly #server: Server;

  private constructor(answer: SecretsService['answer']) {
    this.answer = answer;
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { SecretId: string };
      this.reads.push(body.SecretId);
      const answered = this.answer(this.reads.length);
      if (answered === 'silence') return;
      const failed = 'error' in answered;
      response.writeHead(failed ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(
        JSON.stringify(
          failed
            ? { __type: answered.error, message: answered.error }
            : { ARN: body.SecretId, Name: 'broker', SecretString: answered.text },
        ),
      );
    });
  }

  static async start(answer: SecretsService['answer']): Promise<SecretsService> {
    const service = new SecretsService(answer);
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    return service;
  }

  /** Environment variables that lead the SDK here. */
  get env(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
