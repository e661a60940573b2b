import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { CLAIMS_TABLE } from '../../functions/consumer/claims-table.ts';
import type { Environment } from '../environment-types.ts';
import { removalPolicy, resourceName } from '../settings.ts';

export interface ClaimsTableProps {
  readonly environment: Environment;
}

/** The table that says which messages are done, as the functions define it. */
export class ClaimsTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { environment }: ClaimsTableProps) {
    super(scope, id);
    const retained = environment.removal === 'retain';
    this.table = new TableV2(this, 'Table', {
      tableName: resourceName(environment, 'claims'),
      partitionKey: { name: CLAIMS_TABLE.partitionKey, type: AttributeType.STRING },
      timeToLiveAttribute: CLAIMS_TABLE.ttlAttribute,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Without its claims, everything redelivered would be done again.
      deletionProtection: retained,
      removalPolicy: removalPolicy(environment),
    });
  }
}
