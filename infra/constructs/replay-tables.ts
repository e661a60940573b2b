import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { AUDIT_TABLE, REPLAY_TABLE } from '../../functions/replay/store/replay-table.ts';
import type { Environment } from '../environment-types.ts';
import { removalPolicy, resourceName } from '../settings.ts';

export interface ReplayTablesProps {
  readonly environment: Environment;
}

/** What the engine reads and writes in the table of plans and runs. */
export const REPLAY_ACTIONS = [
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:Query',
] as const;

/** The audit is appended to and read, by nobody changed. */
export const AUDIT_ACTIONS = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'] as const;

/** Enough to look at either. */
export const READ_ACTIONS = ['dynamodb:GetItem', 'dynamodb:Query'] as const;

/** Plans and runs in one table, the audit in another, as the functions define them. */
export class ReplayTables extends Construct {
  readonly replay: TableV2;
  readonly audit: TableV2;

  constructor(scope: Construct, id: string, { environment }: ReplayTablesProps) {
    super(scope, id);
    const common = {
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Who moved what, and which copies are out: without either nobody can say what was done.
      deletionProtection: environment.removal === 'retain',
      removalPolicy: removalPolicy(environment),
    };
    this.replay = new TableV2(this, 'Runs', {
      ...common,
      ...keysOf(REPLAY_TABLE),
      tableName: resourceName(environment, 'replay'),
      timeToLiveAttribute: REPLAY_TABLE.ttlAttribute,
    });
    // Kept: it has no time to live.
    this.audit = new TableV2(this, 'Audit', {
      ...common,
      ...keysOf(AUDIT_TABLE),
      tableName: resourceName(environment, 'replay-audit'),
    });
  }
}

function keysOf(table: { readonly partitionKey: string; readonly sortKey: string }) {
  return {
    partitionKey: { name: table.partitionKey, type: AttributeType.STRING },
    sortKey: { name: table.sortKey, type: AttributeType.STRING },
  };
}
