import { connect } from 'amqplib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applyTopology } from '../../../functions/topology/apply.ts';
import { buildTopology } from '../../../functions/topology/model.ts';
import { AmqpPeer } from '../../helpers/amqp-peer.ts';
import { aFlow } from './fixtures.ts';

async function silentBroker() {
  const peer = await AmqpPeer.start();
  const connection = await connect(peer.url);
  connection.on('error', () => undefined);
  onTestFinished(() => peer.close());
  return { peer, connection };
}

describe('applying to a broker that stops answering', () => {
  it('ends after its time limit', async () => {
    const { connection } = await silentBroker();

    await expect(
      applyTopology(connection, buildTopology([aFlow()]), { mode: 'apply', timeoutMs: 150 }),
    ).rejects.toMatchObject({
      code: 'INTERRUPTED',
      message: 'The broker did not answer within 150 ms; what was made so far stays.',
    });
  });

  it('ends when the connection does, and says where and why', async () => {
    const { peer, connection } = await silentBroker();

    const applying = applyTopology(connection, buildTopology([aFlow()]), { mode: 'check' });
    peer.connections[0]?.closeConnection(541, 'INTERNAL_ERROR');

    await expect(applying).rejects.toMatchObject({
      code: 'INTERRUPTED',
      message:
        'The connection to the broker ended at exchange "shop"; what was made so far stays: Connection closed: 541 (INTERNAL-ERROR) with message "INTERNAL_ERROR".',
    });
  });
});
