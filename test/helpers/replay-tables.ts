import { CreateTableCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { createReplayStore, type ReplayStore } from '../../functions/replay/store/replay-store.ts';
import { replayTableInput } from '../../functions/replay/store/replay-table.ts';
import { startTable, type TestTable } from './table.ts';

export interface ReplayTables extends TestTable {
  /** Of the real SDK, over HTTP. Each call is a worker of its own. */
  openStore(): ReplayStore;
  readonly replayTableName: string;
  readonly auditTableName: string;
}

/** The table of claims and both tables of replay, in a DynamoDB in memory. */
export async function startReplayTables(): Promise<ReplayTables> {
  const table = await startTable();
  const { client } = table;
  for (const TableName of ['replay', 'replay-audit']) {
    await client.send(new CreateTableCommand(replayTableInput(TableName)));
    const patience = { client, maxWaitTime: 10, minDelay: 1, maxDelay: 1 };
    await waitUntilTableExists(patience, { TableName });
  }
  const names = { tableName: 'replay', auditTableName: 'replay-audit' };
  return {
    ...table,
    replayTableName: names.tableName,
    auditTableName: names.auditTableName,
    openStore: () => createReplayStore({ client, ...names }),
  };
}
