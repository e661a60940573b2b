import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the service answers for a mapping: its description, the name of an error, or nothing at all. */
export type MappingAnswer =
  | {
      readonly State?: string;
      readonly LastProcessingResult?: string;
      readonly StateTransitionReason?: string;
    }
  | { readonly status: number; readonly error: string }
  | 'silence';

const PATH = '/2015-03-31/event-source-mappings/';

/**
 * A small HTTP server that speaks as much of Lambda's REST protocol as `GetEventSourceMapping` needs,
 * so that the real SDK client is tested and not a copy of it.
 */
export class LambdaService {
  /** Ids of the mappings asked for, in order, retries included. */
  readonly reads: string[] = [];
  answer: (id: string) => MappingAnswer;
  readonly #server: Server;

  private constructor(answer: LambdaService['answer']) {
    this.answer = answer;
    this.#server = createServer((request, response) => {
      const path = request.url ?? '';
      if (request.method !== 'GET' || !path.startsWith(PATH)) {
        response.writeHead(404).end();
        return;
      }
      const id = decodeURIComponent(path.slice(PATH.length));
      this.reads.push(id);
      const answered = this.answer(id);
      if (answered === 'silence') return;
      const headers = { 'content-type': 'application/json' };
      if ('error' in answered) {
        response.writeHead(answered.status, { ...headers, 'x-amzn-errortype': answered.error });
        response.end(JSON.stringify({ Type: 'User', Message: `${answered.error} for ${id}` }));
        return;
      }
      response.writeHead(200, headers);
      response.end(JSON.stringify({ UUID: id, BatchSize: 1, ...answered }));
    });
  }

  static async start(answer: LambdaService['answer']): Promise<LambdaService> {
    const service = new LambdaService(answer);
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    return service;
  }

  /** Environment variables that lead the SDK here. */
  get env(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${port}`,
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
