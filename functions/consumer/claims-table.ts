/**
 * The table's definition: the deployment, the local run and the tests all create it from here.
 * Amounts to two write units per attempt and nothing else in the good case.
 */
export const CLAIMS_TABLE = {
  partitionKey: 'id',
  /** Epoch seconds; DynamoDB removes items some time after. */
  ttlAttribute: 'expiresAt',
  billingMode: 'PAY_PER_REQUEST',
} as const;

/** `CreateTable` input for a table of this definition. */
export function claimsTableInput(tableName: string) {
  return {
    TableName: tableName,
    KeySchema: [{ AttributeName: CLAIMS_TABLE.partitionKey, KeyType: 'HASH' as const }],
    AttributeDefinitions: [
      { AttributeName: CLAIMS_TABLE.partitionKey, AttributeType: 'S' as const },
    ],
    BillingMode: CLAIMS_TABLE.billingMode,
  };
}
