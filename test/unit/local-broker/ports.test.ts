import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { freePorts, isListening, isOwnHost } from '../../../infra/local/broker/ports.ts';

describe('freePorts', () => {
  it('gives different ports that can be listened on', async () => {
    const ports = await freePorts(8);

    expect(new Set(ports).size).toBe(8);
    for (const port of ports) {
      const server = createServer();
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(port, '127.0.0.1', resolve);
      });
      expect(await isListening(port)).toBe(true);
      await new Promise((resolve) => server.close(resolve));
      expect(await isListening(port)).toBe(false);
    }
  });
});

describe('isOwnHost', () => {
  it.each(['localhost', '127.0.0.1'])('takes %s for this machine', async (host) => {
    expect(await isOwnHost(host)).toBe(true);
  });

  it('takes an address of no interface here for another machine', async () => {
    // 203.0.113.0/24 is kept free for documentation.
    expect(await isOwnHost('203.0.113.7')).toBe(false);
  });
});
