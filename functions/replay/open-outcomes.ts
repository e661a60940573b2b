import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createOutcomeRecorder, type OutcomeRecorder } from './outcome-recorder.ts';
import { createLeases } from './store/lease.ts';
import { createMoveLog } from './store/moves.ts';
import { createOutcomeLog } from './store/outcomes.ts';
import { createRelapses } from './store/relapses.ts';
import { createRuns } from './store/runs.ts';
import { Table } from './store/table.ts';

export interface OutcomesOptions {
  readonly client: DynamoDBClient;
  /** The table of plans and runs. */
  readonly tableName: string;
  readonly now: () => number;
}

/** The consumer's door to replay: outcomes and nothing else, since every cold start loads it. */
export function openOutcomeRecorder({ client, tableName, now }: OutcomesOptions): OutcomeRecorder {
  const table = new Table(client, tableName);
  const store = {
    outcomes: createOutcomeLog(table),
    runs: createRuns(table, createLeases(table)),
    moves: createMoveLog(table),
    relapses: createRelapses(table),
  };
  return createOutcomeRecorder(store, now);
}
