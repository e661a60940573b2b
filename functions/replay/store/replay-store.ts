import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Audit, createAudit } from './audit.ts';
import { type Budget, createBudget } from './budget.ts';
import { createDoubts, type Doubts } from './doubts.ts';
import { createLeases, type Leases } from './lease.ts';
import { createMoveLog, type MoveLog } from './moves.ts';
import { createOutcomeLog, type OutcomeLog } from './outcomes.ts';
import { createPlans, type Plans } from './plans.ts';
import { createRelapses, type Relapses } from './relapses.ts';
import { createRuns, type Runs } from './runs.ts';
import { Table } from './table.ts';

/** Everything replay remembers. */
export interface ReplayStore {
  readonly plans: Plans;
  readonly runs: Runs;
  readonly leases: Leases;
  readonly moves: MoveLog;
  readonly doubts: Doubts;
  readonly relapses: Relapses;
  readonly outcomes: OutcomeLog;
  readonly budget: Budget;
  readonly audit: Audit;
}

export interface ReplayStoreOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly auditTableName: string;
}

export function createReplayStore(options: ReplayStoreOptions): ReplayStore {
  const table = new Table(options.client, options.tableName);
  const leases = createLeases(table);
  return {
    plans: createPlans(table),
    runs: createRuns(table, leases),
    leases,
    moves: createMoveLog(table),
    doubts: createDoubts(table),
    relapses: createRelapses(table),
    outcomes: createOutcomeLog(table),
    budget: createBudget(table),
    audit: createAudit(new Table(options.client, options.auditTableName)),
  };
}
