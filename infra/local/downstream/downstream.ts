import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ledger } from './ledger.ts';

/** How a simulator answers one call. */
export type Answer =
  | { readonly kind: 'accept'; readonly body: unknown }
  | {
      readonly kind: 'refuse';
      readonly status: number;
      readonly body: unknown;
      readonly retryAfterSeconds?: number;
    }
  /** The connection is cut without an answer: the caller sees ECONNRESET. */
  | { readonly kind: 'cut' };

/** A call as a simulator's rules see it. */
export interface Call {
  readonly workId: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly nowMs: number;
}

export interface DownstreamOptions {
  /** Shown to people: `payments`, `push`. */
  readonly name: string;
  /** The path it serves with POST, such as `/payments`. */
  readonly path: string;
  /** The field of the body that names the work. */
  readonly workIdField: string;
  /** How long an accepted call takes, in milliseconds. */
  readonly workMs: number;
  readonly answer: (call: Call) => Answer;
}

export interface Downstream {
  readonly name: string;
  /** Base URL on loopback, without a slash at the end. */
  readonly url: string;
  readonly ledger: Ledger;
  stop(): Promise<void>;
}

/**
 * A downstream service as a real HTTP server on loopback. It honours the Idempotency-Key header the
 * way payment providers do (a known key is answered again and not applied again) and writes every
 * call down.
 */
export async function startDownstream(options: DownstreamOptions): Promise<Downstream> {
  const ledger = new Ledger();
  const server = createServer((request, response) => {
    void serve(options, ledger, request, response).catch(() => response.destroy());
  });
  // Connections are the function's to keep; an idle one must not end under a call.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    name: options.name,
    url: `http://127.0.0.1:${port}`,
    ledger,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  options: DownstreamOptions,
  ledger: Ledger,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST' || request.url !== options.path) {
    reply(response, 404, { error: `only POST ${options.path} is served here` });
    return;
  }
  const body = await readJson(request);
  const workId = body?.[options.workIdField];
  if (body === undefined || typeof workId !== 'string') {
    reply(response, 400, { error: `the body needs a text field "${options.workIdField}"` });
    return;
  }
  const answer = options.answer({ workId, body, nowMs: Date.now() });
  const call = {
    at: new Date(),
    workId,
    key: header(request, 'idempotency-key'),
    attempt: attemptOf(request),
  };
  switch (answer.kind) {
    case 'cut':
      ledger.refuse({ ...call, status: 0 });
      request.socket.destroy();
      return;
    case 'refuse':
      ledger.refuse({ ...call, status: answer.status });
      if (answer.retryAfterSeconds !== undefined) {
        response.setHeader('Retry-After', String(answer.retryAfterSeconds));
      }
      reply(response, answer.status, answer.body);
      return;
    case 'accept': {
      await new Promise((resolve) => setTimeout(resolve, options.workMs));
      const entry = ledger.accept({ ...call, status: 201 });
      if (entry.outcome === 'repeated') response.setHeader('Idempotent-Replayed', 'true');
      reply(response, 201, answer.body);
      return;
    }
  }
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function attemptOf(request: IncomingMessage): number | undefined {
  const attempt = Number(header(request, 'x-attempt'));
  return Number.isInteger(attempt) && attempt > 0 ? attempt : undefined;
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
