import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Claim, type ClaimRequest, claimId } from '../../../functions/consumer/claims.ts';
import { createDynamoClaims } from '../../../functions/consumer/dynamo-claims.ts';
import { startTable, type TestTable } from '../../helpers/table.ts';

const NOW = 1_796_000_000_000;
const LEASE_MS = 30_000;
let table: TestTable;
let nextId = 0;

beforeAll(async () => {
  table = await startTable();
});
afterAll(async () => {
  await table.stop();
});

function claims({ rememberCompleted = true, keepMs = 86_400_000 } = {}) {
  const { client, tableName } = table;
  return createDynamoClaims({ client, tableName, keepMs, rememberCompleted });
}

const request = (id: string, owner: string, parts: Partial<ClaimRequest> = {}): ClaimRequest => ({
  id,
  owner,
  place: 'work',
  nowMs: NOW,
  leaseUntilMs: NOW + LEASE_MS,
  ...parts,
});
const freshId = () => claimId('orders', `m-${nextId++}`);
const isolated = (nowMs: number) =>
  ({ place: 'isolated', nowMs, leaseUntilMs: nowMs + LEASE_MS }) as const;

describe('claims on a table', () => {
  it('gives a free message to the first who asks, and tells the second who has it', async () => {
    const id = freshId();
    expect(await claims().take(request(id, 'a'))).toEqual({
      kind: 'claimed',
      claim: { id, owner: 'a' },
    });
    expect(await claims().take(request(id, 'b'))).toEqual({
      kind: 'held',
      place: 'work',
      owner: 'a',
      leaseUntilMs: NOW + LEASE_MS,
    });
  });

  it('gives one of many concurrent askers the message', async () => {
    const id = freshId();
    const owners = Array.from({ length: 20 }, (_, n) => `owner-${n}`);
    const answers = await Promise.all(owners.map((owner) => claims().take(request(id, owner))));
    expect(answers.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
  });

  it('takes its own claim for granted when a request is repeated', async () => {
    const id = freshId();
    await claims().take(request(id, 'a'));
    expect(await claims().take(request(id, 'a'))).toMatchObject({ kind: 'claimed' });
  });

  it('knows a completed message', async () => {
    const id = freshId();
    await claims().take(request(id, 'a'));
    expect(await claims().complete({ id, owner: 'a' }, NOW)).toBe(true);
    expect(await claims().take(request(id, 'b'))).toEqual({ kind: 'completed' });
    expect(await claims().look(id, NOW)).toEqual({ kind: 'completed' });
  });

  it('completes once more without harm when a request is repeated', async () => {
    const id = freshId();
    await claims().take(request(id, 'a'));
    await claims().complete({ id, owner: 'a' }, NOW);
    expect(await claims().complete({ id, owner: 'a' }, NOW)).toBe(true);
  });

  it('forgets a released claim', async () => {
    const id = freshId();
    await claims().take(request(id, 'a'));
    expect(await claims().release({ id, owner: 'a' })).toBe(true);
    expect(await claims().look(id, NOW)).toBeUndefined();
    expect(await claims().take(request(id, 'b'))).toMatchObject({ kind: 'claimed' });
  });

  it('never takes over at work, however long the lease is over: that is a matter for isolation', async () => {
    const id = freshId();
    await claims().take(request(id, 'dead'));
    const later = NOW + 10 * LEASE_MS;
    expect(await claims().take(request(id, 'b', { nowMs: later }))).toMatchObject({ kind: 'held' });
  });

  it('takes over a dead batch in isolation once its lease is over, not before', async () => {
    const id = freshId();
    await claims().take(request(id, 'dead'));
    const early = await claims().take(request(id, 'iso', isolated(NOW + LEASE_MS)));
    expect(early).toMatchObject({ kind: 'held', place: 'work', owner: 'dead' });
    const late = await claims().take(request(id, 'iso', isolated(NOW + LEASE_MS + 1)));
    expect(late).toMatchObject({ kind: 'claimed', claim: { owner: 'iso' } });
  });

  it('never takes over an isolated run that did not end: it is the evidence', async () => {
    const id = freshId();
    await claims().take(request(id, 'iso-1', isolated(NOW)));
    const later = await claims().take(request(id, 'iso-2', isolated(NOW + 100 * LEASE_MS)));
    expect(later).toMatchObject({ kind: 'held', place: 'isolated', owner: 'iso-1' });
  });

  describe('a late run of a dead owner', () => {
    async function takenOver(): Promise<{ late: Claim; next: Claim }> {
      const id = freshId();
      await claims().take(request(id, 'late'));
      await claims().take(request(id, 'next', isolated(NOW + LEASE_MS + 1)));
      return { late: { id, owner: 'late' }, next: { id, owner: 'next' } };
    }

    it('cannot delete the claim of the next owner', async () => {
      const { late, next } = await takenOver();
      expect(await claims().release(late)).toBe(false);
      expect(await claims().look(next.id, NOW)).toMatchObject({ kind: 'held', owner: 'next' });
    });

    it('cannot complete the claim of the next owner', async () => {
      const { late, next } = await takenOver();
      expect(await claims().complete(late, NOW)).toBe(false);
      expect(await claims().look(next.id, NOW)).toMatchObject({ kind: 'held', owner: 'next' });
    });

    it('cannot erase or redo a completed record', async () => {
      const { late, next } = await takenOver();
      await claims().complete(next, NOW);
      expect(await claims().release(late)).toBe(false);
      expect(await claims().release(next)).toBe(false);
      expect(await claims().complete(late, NOW)).toBe(false);
      expect(await claims().look(next.id, NOW)).toEqual({ kind: 'completed' });
    });
  });

  it('treats a record past its time to live as absent, since removal may lag by days', async () => {
    const id = freshId();
    const shortLived = claims({ keepMs: 1_000 });
    await shortLived.take(request(id, 'a'));
    await shortLived.complete({ id, owner: 'a' }, NOW);
    const later = NOW + 3_000;
    expect(await shortLived.look(id, later)).toBeUndefined();
    expect(await shortLived.take(request(id, 'b', { nowMs: later }))).toMatchObject({
      kind: 'claimed',
    });
  });

  it('remembers nothing of a completed message when the flow opted out', async () => {
    const id = freshId();
    const forgetful = claims({ rememberCompleted: false });
    await forgetful.take(request(id, 'a'));
    expect(await forgetful.complete({ id, owner: 'a' }, NOW)).toBe(true);
    expect(await forgetful.take(request(id, 'b'))).toMatchObject({ kind: 'claimed' });
  });

  it('keeps keys of two flows apart', async () => {
    await claims().take(request(claimId('orders', 'same'), 'a'));
    const other = await claims().take(request(claimId('notifications', 'same'), 'b'));
    expect(other).toMatchObject({ kind: 'claimed' });
  });

  it('writes a time to live in whole seconds on every record', async () => {
    const { Items = [] } = await table.client.send(new ScanCommand({ TableName: table.tableName }));
    expect(Items.length).toBeGreaterThan(0);
    for (const { expiresAt } of Items) expect(expiresAt?.N).toMatch(/^\d{10}$/);
  });

  it('passes the error of an unreachable table on, as trouble of its own', async () => {
    const gone = await startTable();
    const { client, tableName } = gone;
    const orphan = createDynamoClaims({
      client,
      tableName: `${tableName}-no`,
      keepMs: 1,
      rememberCompleted: true,
    });
    await expect(orphan.take(request('x', 'a'))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
    await gone.stop();
  });
});
