import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { NO_MEMORY, type ProbeMemory, parseMemory } from './memory.ts';

/** Where the probe's memory is kept between runs. */
export interface MemoryStore {
  load(): Promise<ProbeMemory>;
  save(memory: ProbeMemory): Promise<void>;
}

/** Key of the probe's one item in the claims table; no flow has a `#` in its name. */
export const MEMORY_KEY = 'probe#memory';

/** One item of the claims table, without an expiry. Without a table the probe remembers nothing. */
export function memoryStore(tableName: string | undefined): MemoryStore {
  if (tableName === undefined) {
    let memory = NO_MEMORY;
    return {
      load: async () => memory,
      save: async (next) => {
        memory = next;
      },
    };
  }
  const client = new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000 },
  });
  return {
    async load() {
      const { Item } = await client.send(
        new GetItemCommand({
          TableName: tableName,
          Key: { id: { S: MEMORY_KEY } },
          ConsistentRead: true,
        }),
      );
      return parseMemory(Item?.memory?.S);
    },
    async save(memory) {
      await client.send(
        new PutItemCommand({
          TableName: tableName,
          Item: { id: { S: MEMORY_KEY }, memory: { S: JSON.stringify(memory) } },
        }),
      );
    },
  };
}
