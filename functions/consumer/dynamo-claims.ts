import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Claim, ClaimAnswer, ClaimPlace, ClaimRequest, Claims } from './claims.ts';

type Item = Record<string, AttributeValue>;

export interface DynamoClaimsOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** How long a record is kept after its last change, in milliseconds. */
  readonly keepMs: number;
  /** False: completing removes the record, so a message sent twice is processed twice. */
  readonly rememberCompleted: boolean;
}

/**
 * Claims in DynamoDB. Every change states the condition under which it is right, so that a late run
 * of a dead owner can neither end the next owner's claim nor erase a completed record.
 * Errors of the SDK are passed on as they are: trouble of the product's own, never of the message.
 */
export function createDynamoClaims(options: DynamoClaimsOptions): Claims {
  const { client, tableName: TableName } = options;
  const expiresAt = (nowMs: number) => `${Math.ceil((nowMs + options.keepMs) / 1000)}`;
  const ifOwned = ({ owner }: Claim) => ({
    ConditionExpression: '#status = :started AND #owner = :owner',
    ExpressionAttributeNames: { '#status': 'status', '#owner': 'owner' },
    ExpressionAttributeValues: { ':started': { S: 'started' }, ':owner': { S: owner } },
  });

  const read = async (id: string): Promise<Item | undefined> => {
    const key = { TableName, Key: { id: { S: id } }, ConsistentRead: true };
    return (await client.send(new GetItemCommand(key))).Item;
  };
  /** What stood in the way of a condition; the answer carries it, else it is read. */
  const conflict = async (error: unknown, id: string): Promise<Item | undefined> => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return error.Item ?? (await read(id));
  };

  return {
    async take(request) {
      const claim = { id: request.id, owner: request.owner };
      for (let tries = 1; ; tries++) {
        try {
          await client.send(new PutItemCommand({ TableName, ...takeInput(request, expiresAt) }));
          return { kind: 'claimed', claim };
        } catch (error) {
          const item = await conflict(error, request.id);
          // The SDK repeats a request whose answer was lost: what stands there may be our own claim.
          if (item?.status?.S === 'started' && item.owner?.S === request.owner) {
            return { kind: 'claimed', claim };
          }
          if (item !== undefined) return answerOf(item);
          // Released between the refusal and the look: free again, but not for ever.
          if (tries === MAX_TAKE_TRIES) throw error;
        }
      }
    },

    async look(id, nowMs) {
      const item = await read(id);
      return item === undefined || isExpired(item, nowMs) ? undefined : answerOf(item);
    },

    async complete(claim, nowMs) {
      if (!options.rememberCompleted) return this.release(claim);
      const owned = ifOwned(claim);
      try {
        await client.send(
          new UpdateItemCommand({
            TableName,
            Key: { id: { S: claim.id } },
            UpdateExpression: 'SET #status = :completed, expiresAt = :expiresAt',
            ...owned,
            ExpressionAttributeValues: {
              ...owned.ExpressionAttributeValues,
              ':completed': { S: 'completed' },
              ':expiresAt': { N: expiresAt(nowMs) },
            },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return true;
      } catch (error) {
        const item = await conflict(error, claim.id);
        // A repeated request finds its own first success.
        return item?.status?.S === 'completed' && item.owner?.S === claim.owner;
      }
    },

    async release(claim) {
      try {
        const Key = { id: { S: claim.id } };
        await client.send(new DeleteItemCommand({ TableName, Key, ...ifOwned(claim) }));
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
  };
}

const MAX_TAKE_TRIES = 3;

function takeInput(request: ClaimRequest, expiresAt: (nowMs: number) => string) {
  return {
    Item: {
      id: { S: request.id },
      status: { S: 'started' },
      owner: { S: request.owner },
      place: { S: request.place },
      leaseUntilMs: { N: `${request.leaseUntilMs}` },
      expiresAt: { N: expiresAt(request.nowMs) },
    },
    ...takeCondition(request),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/**
 * Free, or past its time to live (DynamoDB may take days to remove it), or, in isolation, left by a
 * batch whose lease is over. An isolated run's own marker is never taken over.
 */
function takeCondition({ place, nowMs }: ClaimRequest) {
  const free = 'attribute_not_exists(id) OR expiresAt < :nowSeconds';
  const values: Item = { ':nowSeconds': { N: `${Math.floor(nowMs / 1000)}` } };
  if (place === 'work') {
    return { ConditionExpression: free, ExpressionAttributeValues: values };
  }
  return {
    ConditionExpression: `${free} OR (#status = :started AND #place = :work AND leaseUntilMs < :nowMs)`,
    ExpressionAttributeNames: { '#status': 'status', '#place': 'place' },
    ExpressionAttributeValues: {
      ...values,
      ':started': { S: 'started' },
      ':work': { S: 'work' },
      ':nowMs': { N: `${nowMs}` },
    },
  };
}

function answerOf(item: Item): Exclude<ClaimAnswer, { kind: 'claimed' }> {
  if (item.status?.S === 'completed') return { kind: 'completed' };
  const place: ClaimPlace = item.place?.S === 'isolated' ? 'isolated' : 'work';
  return {
    kind: 'held',
    place,
    owner: item.owner?.S ?? '',
    leaseUntilMs: Number(item.leaseUntilMs?.N ?? 0),
  };
}

function isExpired(item: Item, nowMs: number): boolean {
  return Number(item.expiresAt?.N ?? Number.POSITIVE_INFINITY) < Math.floor(nowMs / 1000);
}
