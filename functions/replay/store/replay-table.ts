/**
 * Definitions of the two tables: the deployment, the local run and the tests all create them from here.
 * Apart, so that whoever replays has no right to update or delete in the audit.
 */
const KEYS = { partitionKey: 'pk', sortKey: 'sk', billingMode: 'PAY_PER_REQUEST' } as const;

/** Plans, runs, leases, outcomes: what the engine works with. */
export const REPLAY_TABLE = {
  ...KEYS,
  /** Epoch seconds; DynamoDB removes items some time after. */
  ttlAttribute: 'expiresAt',
} as const;

/** Who moved what, when and why: append only, kept. Needs PutItem, GetItem and Query, never update or delete. */
export const AUDIT_TABLE = KEYS;

/** `CreateTable` input for a table of either definition. */
export function replayTableInput(tableName: string) {
  return {
    TableName: tableName,
    KeySchema: [
      { AttributeName: KEYS.partitionKey, KeyType: 'HASH' as const },
      { AttributeName: KEYS.sortKey, KeyType: 'RANGE' as const },
    ],
    AttributeDefinitions: [
      { AttributeName: KEYS.partitionKey, AttributeType: 'S' as const },
      { AttributeName: KEYS.sortKey, AttributeType: 'S' as const },
    ],
    BillingMode: KEYS.billingMode,
  };
}
