import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { freePorts, isListening } from '../../../infra/local/broker/ports.ts';

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
