import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { claimsTableInput } from '../../functions/consumer/claims-table.ts';
import { replayTableInput } from '../../functions/replay/store/replay-table.ts';

export interface LocalTable {
  /** What a function needs in its environment to use the tables. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const TABLE_NAME = 'layover-claims';
const REPLAY_TABLE_NAME = 'layover-replay';
const AUDIT_TABLE_NAME = 'layover-audit';

/** Anything will do: the server is on loopback and checks nothing. The SDK insists on having some. */
const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };
const REGION = 'us-east-1';

/**
 * Starts dynalite, a DynamoDB in memory, on loopback and creates the table of claims and both tables of
 * replay in it.
 */
export async function startLocalTable(): Promise<LocalTable> {
  const server = dynalite({ createTableMs: 0 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new DynamoDBClient({ endpoint, region: REGION, credentials: CREDENTIALS });
  try {
    const patience = { client, maxWaitTime: 10, minDelay: 1, maxDelay: 1 };
    const inputs = [
      claimsTableInput(TABLE_NAME),
      replayTableInput(REPLAY_TABLE_NAME),
      replayTableInput(AUDIT_TABLE_NAME),
    ];
    for (const input of inputs) {
      await client.send(new CreateTableCommand(input));
      await waitUntilTableExists(patience, { TableName: input.TableName });
    }
  } finally {
    client.destroy();
  }
  return {
    env: {
      LAYOVER_TABLE: TABLE_NAME,
      LAYOVER_REPLAY_TABLE: REPLAY_TABLE_NAME,
      LAYOVER_AUDIT_TABLE: AUDIT_TABLE_NAME,
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
