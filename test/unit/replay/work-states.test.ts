import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimId } from '../../../functions/consumer/claims.ts';
import { createDynamoClaims } from '../../../functions/consumer/dynamo-claims.ts';
import type { Flow } from '../../../functions/policy/types.ts';
import { createWorkStates } from '../../../functions/replay/work-states.ts';
import { aMessage } from '../../helpers/messages.ts';
import { replayFlow } from '../../helpers/replay-world.ts';
import { startTable, type TestTable } from '../../helpers/table.ts';

const NOW_MS = Date.UTC(2026, 5, 1, 12);
let table: TestTable;

beforeAll(async () => {
  table = await startTable();
});
afterAll(async () => {
  await table.stop();
});

const messageOf = (messageId: string) => aMessage({ properties: { messageId } });

function statesAt(nowMs: number) {
  return createWorkStates({ client: table.client, tableName: table.tableName, now: () => nowMs });
}

async function claim(flow: Flow<never>, key: string, complete: boolean): Promise<void> {
  const { client, tableName } = table;
  const claims = createDynamoClaims({
    client,
    tableName,
    keepMs: 3_600_000,
    rememberCompleted: true,
  });
  const answer = await claims.take({
    id: claimId(flow.name, key),
    place: 'work',
    owner: 'o',
    nowMs: NOW_MS,
    leaseUntilMs: NOW_MS + 60_000,
  });
  if (complete && answer.kind === 'claimed') await claims.complete(answer.claim, NOW_MS);
}

describe('what the idempotency records say of parked messages', () => {
  it('is read as the consumer writes them, in the order of the messages', async () => {
    const flow = replayFlow('states');
    await claim(flow, 'done', true);
    await claim(flow, 'busy', false);
    const messages = ['busy', 'fresh', 'done', 'done'].map(messageOf);

    expect(await statesAt(NOW_MS)(flow, messages)).toEqual([
      { kind: 'read', value: 'in-progress' },
      { kind: 'read', value: 'none' },
      { kind: 'read', value: 'completed' },
      { kind: 'read', value: 'completed' },
    ]);
  });

  it('no longer counts a run whose lease is over, nor a record past its time', async () => {
    const flow = replayFlow('leases');
    await claim(flow, 'busy', false);
    await claim(flow, 'done', true);
    const messages = [messageOf('busy'), messageOf('done')];

    const later = await statesAt(NOW_MS + 60_001)(flow, messages);
    const muchLater = await statesAt(NOW_MS + 3_602_000)(flow, messages);

    expect(later.map((state) => state.kind === 'read' && state.value)).toEqual([
      'none',
      'completed',
    ]);
    expect(muchLater.map((state) => state.kind === 'read' && state.value)).toEqual([
      'none',
      'none',
    ]);
  });

  it('is asked in parts, for more messages than one request takes', async () => {
    const flow = replayFlow('many');
    await claim(flow, 'm-149', true);
    const messages = Array.from({ length: 250 }, (_, n) => messageOf(`m-${n}`));

    const states = await statesAt(NOW_MS)(flow, messages);

    const completed = states.flatMap((state, n) =>
      state.kind === 'read' && state.value === 'completed' ? [n] : [],
    );
    expect(states).toHaveLength(250);
    expect(completed).toEqual([149]);
  });

  it('is nothing for a message without a key, or a flow without idempotency', async () => {
    const flow = replayFlow('off');
    await claim(flow, 'done', true);
    const off = { ...flow, idempotency: { enabled: false } } as Flow<never>;

    expect(await statesAt(NOW_MS)(flow, [aMessage({ properties: {} })])).toEqual([
      { kind: 'read', value: 'none' },
    ]);
    expect(await statesAt(NOW_MS)(off, [messageOf('done')])).toEqual([
      { kind: 'read', value: 'none' },
    ]);
  });

  it('is unreadable for a key function that throws, and when the table is away', async () => {
    const flow = replayFlow('broken');
    const throwing = {
      ...flow,
      idempotency: {
        enabled: true,
        key: () => {
          throw new Error('no order id');
        },
      },
    } as Flow<never>;
    const away = createWorkStates({
      client: table.client,
      tableName: 'not-there',
      now: () => NOW_MS,
    });

    expect((await statesAt(NOW_MS)(throwing, [messageOf('m')]))[0]).toMatchObject({
      kind: 'unreadable',
      why: "the flow's key function failed: Error: no order id",
    });
    expect((await away(flow, [messageOf('m')]))[0]).toMatchObject({ kind: 'unreadable' });
  });
});
