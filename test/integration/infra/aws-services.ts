import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An object somebody put into a bucket. */
export interface StoredObject {
  readonly path: string;
  readonly content: Buffer;
}

/**
 * As much of SSM, CloudWatch, S3 and Lambda as the functions of replay call, over HTTP, asked by the real
 * SDK. State is the test's to set and to look at.
 */
export class AwsServices {
  readonly parameters = new Map<string, string>();
  /** State of an alarm by name; one that isn't here doesn't exist. */
  readonly alarms = new Map<string, string>();
  readonly objects: StoredObject[] = [];
  /** Whether a mapping is on, by id. */
  readonly mappings = new Map<string, boolean>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const [status, body] = this.#answer(request, Buffer.concat(chunks));
      const type = request.headers['x-amz-target']
        ? 'application/x-amz-json-1.1'
        : 'application/json';
      response.writeHead(status, { 'content-type': type }).end(body);
    });
  }

  static async start(): Promise<AwsServices> {
    const services = new AwsServices();
    services.#server.listen(0, '127.0.0.1');
    await once(services.#server, 'listening');
    return services;
  }

  /** Environment that leads every client here that has no endpoint of its own. */
  get env(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return { AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(request: IncomingMessage, body: Buffer): readonly [number, string] {
    const [, operation] = String(request.headers['x-amz-target'] ?? '').split('.');
    const path = request.url ?? '';
    if (operation !== undefined) return this.#json(operation, JSON.parse(body.toString()));
    const [, mapping] = /^\/2015-03-31\/event-source-mappings\/([^/]+)$/.exec(path) ?? [];
    if (mapping !== undefined) {
      if (request.method === 'PUT') {
        this.mappings.set(mapping, JSON.parse(body.toString()).Enabled as boolean);
      }
      const State = this.mappings.get(mapping) ? 'Enabled' : 'Disabled';
      return [200, JSON.stringify({ UUID: mapping, State })];
    }
    if (request.method !== 'PUT') return [404, ''];
    this.objects.push({ path, content: body });
    return [200, ''];
  }

  #json(operation: string, input: Readonly<Record<string, unknown>>): readonly [number, string] {
    switch (operation) {
      case 'GetParameters': {
        const names = input.Names as readonly string[];
        const Parameters = names.flatMap((Name) => {
          const Value = this.parameters.get(Name);
          return Value === undefined ? [] : [{ Name, Value }];
        });
        return [200, JSON.stringify({ Parameters })];
      }
      case 'PutParameter':
        this.parameters.set(String(input.Name), String(input.Value));
        return [200, '{"Version":2}'];
      case 'DescribeAlarms': {
        const names = input.AlarmNames as readonly string[];
        const MetricAlarms = names.flatMap((AlarmName) => {
          const StateValue = this.alarms.get(AlarmName);
          return StateValue === undefined ? [] : [{ AlarmName, StateValue }];
        });
        return [200, JSON.stringify({ MetricAlarms, CompositeAlarms: [] })];
      }
      default:
        return [400, JSON.stringify({ __type: 'UnknownOperationException', message: operation })];
    }
  }
}
