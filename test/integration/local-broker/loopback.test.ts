import { networkInterfaces } from 'node:os';
import { describe, expect, inject, it } from 'vitest';
import { isListening } from '../../../infra/local/broker/ports.ts';

/**
 * Addresses of this machine that are not 127.0.0.1. On Linux 127.0.0.2 is one too: what listens on
 * every interface answers there, even on a machine without a network.
 */
function otherAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outside = all
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);
  return process.platform === 'linux' ? ['127.0.0.2', ...outside] : outside;
}

describe('the broker this run uses', () => {
  const ports = inject('brokerOpenedPorts');

  it('has ports of ours if and only if we started it', () => {
    const ours = inject('brokerSource') !== 'AMQP_URL';

    expect(ports.length > 0).toBe(ours);
    if (ours) expect(ports).toContain(Number(new URL(inject('brokerUrl')).port));
  });

  it('answers on 127.0.0.1 on every port it was started with', async () => {
    const answers = await Promise.all(ports.map((port) => isListening(port)));

    expect(answers).toEqual(ports.map(() => true));
  });

  it('answers on no other address of this machine, be it AMQP, management, epmd or distribution', async () => {
    const open: string[] = [];
    for (const address of otherAddresses()) {
      for (const port of ports) {
        if (await isListening(port, address)) open.push(`${address}:${port}`);
      }
    }

    expect(open).toEqual([]);
  });
});
