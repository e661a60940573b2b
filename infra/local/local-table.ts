import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { claimsTableInput } from '../../functions/consumer/claims-table.ts';

export interface LocalTable {
  /** What a function needs in its environment to use the table. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const TABLE_NAME = 'layover-claims';

/** Anything will do: the table is on loopback and checks nothing. The SDK insists on having some. */
const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };
const REGION = 'us-east-1';

/** Starts dynalite, a DynamoDB in memory, on loopback and creates the table of claims in it. */
export async function startLocalTable(): Promise<LocalTable> {
  const server = dynalite({ createTableMs: 0 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new DynamoDBClient({ endpoint, region: REGION, credentials: CREDENTIALS });
  try {
    await client.send(new CreateTableCommand(claimsTableInput(TABLE_NAME)));
    const patience = { client, maxWaitTime: 10, minDelay: 1, maxDelay: 1 };
    await waitUntilTableExists(patience, { TableName: TABLE_NAME });
  } finally {
    client.destroy();
  }
  return {
    env: {
      LAYOVER_TABLE: TABLE_NAME,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
