import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { remoteOperator } from '../../../../cli/operator/remote-operator.ts';

let lambda: Server;
let lookups = 0;

beforeEach(async () => {
  lookups = 0;
  lambda = createServer((_request, response) => {
    lookups += 1;
    response.writeHead(403, { 'x-amzn-errortype': 'AccessDeniedException' });
    response.end('{"Message":"not allowed"}');
  });
  await new Promise<void>((resolve) => lambda.listen(0, '127.0.0.1', resolve));
  const { port } = lambda.address() as AddressInfo;
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await new Promise((resolve) => lambda.close(resolve));
});

it('a look-up that failed is made again by the next request: what was refused may have been granted', async () => {
  const operator = remoteOperator({
    environment: 'dev',
    region: 'eu-central-1',
    flags: ' --env dev',
    flows: [],
  });

  await expect(operator.ask('status')).rejects.toMatchObject({ code: 'NO_PERMISSION' });
  await expect(operator.ask('status')).rejects.toMatchObject({ code: 'NO_PERMISSION' });
  await operator.close();

  expect(lookups).toBe(2);
});
