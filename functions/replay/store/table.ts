import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export interface Update {
  /** Attributes to set; undefined ones are left as they are. */
  readonly set?: Readonly<Record<string, string | number | undefined>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
  /** Names as `#name`, values as `:name`; every name used must be in `names`. */
  readonly condition?: string;
  readonly names?: readonly string[];
  readonly values?: Readonly<Record<string, string | number>>;
}

export interface QueryOptions {
  readonly prefix?: string;
  readonly from?: string;
  readonly to?: string;
  readonly newestFirst?: boolean;
  /** Stops after so many items. @default all */
  readonly limit?: number;
}

/** One table with keys `pk` and `sk`, in the few operations the store needs. Errors of the SDK pass. */
export class Table {
  readonly #client: DynamoDBClient;
  readonly #name: string;

  constructor(client: DynamoDBClient, name: string) {
    this.#client = client;
    this.#name = name;
  }

  async get(key: Key): Promise<Item | undefined> {
    const input = { TableName: this.#name, Key: keyItem(key), ConsistentRead: true };
    return (await this.#client.send(new GetItemCommand(input))).Item;
  }

  /** Writes an item nobody wrote before; false when there is one. */
  async create(key: Key, attributes: Readonly<Record<string, string | number | undefined>>) {
    return this.#unlessRefused(async () => {
      await this.#client.send(
        new PutItemCommand({
          TableName: this.#name,
          Item: { ...keyItem(key), ...toItem(attributes) },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      );
      return true;
    });
  }

  /** The item after the update; false when its condition did not hold. */
  async update(key: Key, change: Update): Promise<Item | false> {
    const { expression, names, values } = updateParts(change);
    return this.#unlessRefused(async () => {
      const answer = await this.#client.send(
        new UpdateItemCommand({
          TableName: this.#name,
          Key: keyItem(key),
          UpdateExpression: expression,
          ...(change.condition === undefined ? {} : { ConditionExpression: change.condition }),
          ...(names === undefined ? {} : { ExpressionAttributeNames: names }),
          ...(values === undefined ? {} : { ExpressionAttributeValues: values }),
          ReturnValues: 'ALL_NEW',
        }),
      );
      return answer.Attributes ?? {};
    });
  }

  async delete(key: Key): Promise<void> {
    await this.#client.send(new DeleteItemCommand({ TableName: this.#name, Key: keyItem(key) }));
  }

  /** Items of a partition in the order of their sort keys, read consistently, all pages. */
  async query(pk: string, options: QueryOptions = {}): Promise<Item[]> {
    const items: Item[] = [];
    let startKey: Item | undefined;
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: this.#name,
          ...queryParts(pk, options),
          ConsistentRead: true,
          ScanIndexForward: options.newestFirst !== true,
          ...(options.limit === undefined ? {} : { Limit: options.limit - items.length }),
          ...(startKey === undefined ? {} : { ExclusiveStartKey: startKey }),
        }),
      );
      items.push(...(page.Items ?? []));
      startKey = page.LastEvaluatedKey;
    } while (startKey !== undefined && items.length < (options.limit ?? Number.POSITIVE_INFINITY));
    return items;
  }

  async #unlessRefused<T>(write: () => Promise<T>): Promise<T | false> {
    try {
      return await write();
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}

function keyItem({ pk, sk }: Key): Item {
  return { pk: { S: pk }, sk: { S: sk } };
}

export function toItem(attributes: Readonly<Record<string, string | number | undefined>>): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) item[name] = toValue(value);
  }
  return item;
}

function toValue(value: string | number): AttributeValue {
  return typeof value === 'number' ? { N: `${value}` } : { S: value };
}

/** Every name is written as `#name`: half of what one would call an attribute is a reserved word. */
function updateParts({ set = {}, add = {}, remove = [], names = [], values = {} }: Update) {
  const sets = Object.entries(set).filter(([, value]) => value !== undefined);
  const adds = Object.entries(add);
  const used = [...sets.map(([name]) => name), ...adds.map(([name]) => name), ...remove, ...names];
  const bound: Item = toItem({
    ...Object.fromEntries(sets),
    ...Object.fromEntries(adds),
    ...values,
  });
  const clause = (word: string, parts: readonly string[]) =>
    parts.length === 0 ? '' : `${word} ${parts.join(', ')} `;
  return {
    expression: [
      clause(
        'SET',
        sets.map(([name]) => `#${name} = :${name}`),
      ),
      clause(
        'ADD',
        adds.map(([name]) => `#${name} :${name}`),
      ),
      clause(
        'REMOVE',
        remove.map((name) => `#${name}`),
      ),
    ].join(''),
    names:
      used.length === 0
        ? undefined
        : Object.fromEntries(used.map((name) => [`#${name}`, name] as const)),
    values:
      Object.keys(bound).length === 0
        ? undefined
        : Object.fromEntries(Object.entries(bound).map(([name, value]) => [`:${name}`, value])),
  };
}

function queryParts(pk: string, { prefix, from, to }: QueryOptions) {
  if (prefix !== undefined) {
    return {
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': { S: pk }, ':prefix': { S: prefix } },
    };
  }
  if (from !== undefined && to !== undefined) {
    return {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':pk': { S: pk }, ':from': { S: from }, ':to': { S: to } },
    };
  }
  return { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: pk } } };
}

export function textOf(item: Item | undefined, name: string): string | undefined {
  return item?.[name]?.S;
}

export function numberOf(item: Item | undefined, name: string): number | undefined {
  const text = item?.[name]?.N;
  return text === undefined ? undefined : Number(text);
}

/** DynamoDB's time to live: whole seconds. */
export function expiryOf(nowMs: number, keepMs: number): number {
  return Math.ceil((nowMs + keepMs) / 1000);
}
