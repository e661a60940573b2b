import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startLocalTable } from '../../infra/local/local-table.ts';

export interface TestTable {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** For a function that is to use the table. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** The local run's table and a client of the real SDK for it. */
export async function startTable(): Promise<TestTable> {
  const { env, stop } = await startLocalTable();
  const client = new DynamoDBClient({
    endpoint: env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    region: env.AWS_REGION ?? '',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  return {
    client,
    env,
    tableName: env.LAYOVER_TABLE ?? '',
    stop: async () => {
      client.destroy();
      await stop();
    },
  };
}
