import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyTopology } from '../../../functions/topology/apply.ts';
import { buildTopology } from '../../../functions/topology/model.ts';
import { definitionsFile } from '../../../infra/definitions-file.ts';
import { brokerUrl, managementUrl } from '../../helpers/broker.ts';
import { FLOWS } from '../../infra/stacks.ts';
import { ScratchVhost } from './scratch-vhost.ts';

const vhost = new ScratchVhost('layover-definitions');
const USERS = { orders: 'layover-def-orders', mails: 'layover-def-mails', probe: 'layover-def-p' };
const topology = buildTopology(FLOWS);
const file = definitionsFile(topology, vhost.name, USERS);

/** As the owner does it: by the management API. */
async function importDefinitions(): Promise<void> {
  const { username, password } = new URL(brokerUrl());
  const answer = await fetch(new URL('/api/definitions', managementUrl()), {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(file),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
}

beforeAll(async () => {
  await vhost.remove(Object.values(USERS));
  for (const user of Object.values(USERS)) {
    await vhost.admin.put(`users/${user}`, { password: 'a-password-of-40', tags: '' });
  }
});
afterAll(async () => {
  await vhost.remove(Object.values(USERS));
});

describe('the definitions file for the owner of a broker', () => {
  it('gives a real broker exactly the topology that the deployment would declare', async () => {
    await importDefinitions();
    const connection = await vhost.connect();
    const report = await applyTopology(connection, topology, { mode: 'check' });
    await connection.close();
    expect(report.problems).toEqual([]);
    expect(report.unchanged).toHaveLength(topology.queues.length + topology.exchanges.length);
  });

  it('can be imported twice', async () => {
    await expect(importDefinitions()).resolves.toBeUndefined();
  });

  it('carries the permission patterns of every user, and no password', async () => {
    expect(await vhost.admin.get(`permissions/${vhost.name}/${USERS.mails}`)).toMatchObject({
      configure: '^$',
      write: '^amq\\.default$',
      read: '^(crm\\.mails|crm\\.mails\\.isolated)$',
    });
    expect(JSON.stringify(file)).not.toMatch(/password/i);
  });

  it('leaves out a queue that belongs to someone else', () => {
    const [flow] = FLOWS;
    if (flow === undefined) throw new Error('no flow');
    const foreign = buildTopology([{ ...flow, queueMode: 'existing', bindings: [] }]);
    const names = definitionsFile(foreign, '/', {}).queues.map((queue) =>
      'name' in queue ? queue.name : '',
    );
    expect(names).not.toContain('orders');
    expect(names).toContain('orders.parked');
  });
});
