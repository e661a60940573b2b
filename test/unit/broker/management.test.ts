import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Management, ManagementError, segment } from '../../../functions/broker/management.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A management API that answers as told, on this machine. */
async function api(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const listening = createServer(answer);
  server = listening;
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done));
  const { port } = listening.address() as AddressInfo;
  return new Management({
    baseUrl: `http://127.0.0.1:${port}`,
    username: 'probe',
    password: 'p:w',
    timeoutMs: 200,
  });
}

async function failureOf(work: Promise<unknown>): Promise<ManagementError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ManagementError) return error;
  throw new Error(`Expected a ManagementError, got ${String(error)}.`);
}

describe('the management API', () => {
  it('is asked with user and password, and answers with JSON', async () => {
    const management = await api((request, response) => {
      const [, token = ''] = (request.headers.authorization ?? '').split(' ');
      const seen = { url: request.url, user: Buffer.from(token, 'base64').toString() };
      response.end(JSON.stringify(seen));
    });
    expect(await management.get(`queues/${segment('/')}`)).toEqual({
      url: '/api/queues/%2F',
      user: 'probe:p:w',
    });
  });

  it('is given what to create as JSON', async () => {
    let body = '';
    const management = await api((request, response) => {
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => response.writeHead(201).end());
    });
    await management.put('users/x', { tags: 'monitoring' });
    expect(JSON.parse(body)).toEqual({ tags: 'monitoring' });
  });

  it('says which user was refused and what to check, never the password', async () => {
    const management = await api((_request, response) => {
      response.writeHead(401).end('{"error":"not_authorized"}');
    });
    const error = await failureOf(management.get('overview'));
    expect(error).toMatchObject({ code: 'MANAGEMENT_REFUSED', status: 401 });
    expect(error.message).toContain("for the user 'probe'");
    expect(error.message).not.toContain('p:w');
  });

  it('takes what is not there for deleted', async () => {
    const management = await api((_request, response) => response.writeHead(404).end());
    await expect(management.delete('queues/%2F/gone')).resolves.toBeUndefined();
    expect((await failureOf(management.get('queues/%2F/gone'))).code).toBe('MANAGEMENT_NOT_FOUND');
  });

  it('reports an error of the broker in its own words', async () => {
    const management = await api((_request, response) => {
      response.writeHead(500).end('internal\n   error');
    });
    const error = await failureOf(management.put('vhosts/x'));
    expect(error.code).toBe('MANAGEMENT_FAILED');
    expect(error.message).toMatch(/PUT \/api\/vhosts\/x at .* answered 500: internal error$/);
  });

  it('gives up on a broker that never answers', async () => {
    const management = await api(() => undefined);
    const error = await failureOf(management.get('overview'));
    expect(error.code).toBe('MANAGEMENT_UNREACHABLE');
    expect(error.message).toContain('got no answer within 200 ms');
  });

  it('gives up on a broker that is not there', async () => {
    const management = new Management({
      baseUrl: 'http://127.0.0.1:9',
      username: 'u',
      password: 'p',
    });
    expect((await failureOf(management.get('overview'))).code).toBe('MANAGEMENT_UNREACHABLE');
  });

  it('does not take a web page for an answer', async () => {
    const management = await api((_request, response) => response.end('<html>'));
    expect((await failureOf(management.get('overview'))).code).toBe('MANAGEMENT_FAILED');
  });
});
