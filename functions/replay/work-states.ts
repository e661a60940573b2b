import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { claimId } from '../consumer/claims.ts';
import { recordOf } from '../consumer/record.ts';
import type { Message } from '../message/types.ts';
import type { Flow } from '../policy/types.ts';
import { type Reading, read, unreadable, type WorkState } from './guards.ts';
import { inItems } from './selection.ts';

type Item = Record<string, AttributeValue>;

/** DynamoDB answers for so many keys at once. */
const KEYS_PER_REQUEST = 100;
const MAX_TRIES = 5;

export interface WorkStatesOptions {
  readonly client: DynamoDBClient;
  /** The table of claims, as the consumer writes it. */
  readonly tableName: string;
  readonly now: () => number;
}

/**
 * Asks the flow's idempotency records what became of messages. A message without a stable key has no
 * record; one whose record can't be read is `unreadable`. Never rejects.
 */
export function createWorkStates({ client, tableName, now }: WorkStatesOptions) {
  return async (
    flow: Flow<never>,
    messages: readonly Message[],
  ): Promise<readonly Reading<WorkState>[]> => {
    if (!flow.idempotency.enabled) return messages.map(() => read('none'));
    const ids = messages.map((message) => idOf(flow, message));
    const wanted = [...new Set(ids.filter((id) => typeof id === 'string'))];
    const parts = inItems(wanted, KEYS_PER_REQUEST);
    const answers = await Promise.allSettled(parts.map((part) => load(client, tableName, part)));
    const known = new Map<string, Reading<WorkState>>();
    for (const [n, answer] of answers.entries()) {
      for (const id of parts[n] ?? []) {
        known.set(
          id,
          answer.status === 'fulfilled'
            ? read(stateOf(answer.value.get(id), now()))
            : unreadable(String(answer.reason)),
        );
      }
    }
    return ids.map((id) => (typeof id === 'string' ? (known.get(id) ?? read('none')) : id));
  };
}

function idOf(flow: Flow<never>, message: Message): string | Reading<WorkState> {
  const { key } = recordOf(flow, message);
  if ('thrown' in key) return unreadable(`the flow's key function failed: ${String(key.thrown)}`);
  return key.stable ? claimId(flow.name, key.value) : read('none');
}

async function load(
  client: DynamoDBClient,
  table: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Item>> {
  const found = new Map<string, Item>();
  let keys: Item[] = ids.map((id) => ({ id: { S: id } }));
  for (let tries = 0; keys.length > 0; tries++) {
    if (tries === MAX_TRIES) throw new Error('DynamoDB left keys unread again and again');
    const answer = await client.send(
      new BatchGetItemCommand({ RequestItems: { [table]: { Keys: keys, ConsistentRead: true } } }),
    );
    for (const item of answer.Responses?.[table] ?? []) {
      if (item.id?.S !== undefined) found.set(item.id.S, item);
    }
    keys = answer.UnprocessedKeys?.[table]?.Keys ?? [];
  }
  return found;
}

/** A started run whose lease is over is nobody's any more: the consumer itself will deal with it. */
function stateOf(item: Item | undefined, nowMs: number): WorkState {
  if (item === undefined || Number(item.expiresAt?.N ?? Infinity) < Math.floor(nowMs / 1000)) {
    return 'none';
  }
  if (item.status?.S === 'completed') return 'completed';
  return Number(item.leaseUntilMs?.N ?? 0) > nowMs ? 'in-progress' : 'none';
}
