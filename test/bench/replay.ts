import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { targetOfUrl } from '../../functions/broker/config.ts';
import { replayTableInput } from '../../functions/replay/store/replay-table.ts';
import { basicAuthOf } from '../../infra/local/broker/management.ts';
import { startLocalTable } from '../../infra/local/local-table.ts';
import { median, runChild } from './child.ts';
import { round2 } from './settle.ts';

interface Report {
  /** Seconds for the same 20,000 messages. */
  readonly rounds: readonly {
    readonly shovel: number;
    readonly replay: number;
    readonly cpuMs: number;
  }[];
  /** Seconds for 100 out of 50,000. */
  readonly selective: readonly {
    readonly scan: number;
    readonly plan: number;
    readonly replay: number;
  }[];
  readonly peakMiB: number;
}

export interface ReplayResult {
  /** Replay's speed over the shovel's: above 1 is faster. */
  readonly vsShovel: number;
  readonly messagesPerSecond: number;
  readonly shovelPerSecond: number;
  /** CPU of our process for one message, in microseconds. */
  readonly cpuMicroseconds: number;
  /** Time of a selective replay over that of a bare scan. */
  readonly selectiveVsScan: number;
  readonly planVsScan: number;
  /** Highest resident memory of a process that plans and replays 100 of 50,000, of 1 KiB each. */
  readonly memoryMiB: number;
}

const MESSAGES = 20_000;
const TABLES = { REPLAY_TABLE: 'bench-replay', AUDIT_TABLE: 'bench-audit' } as const;

/** Why there is no shovel to measure against, or undefined when there is one. */
export async function whyNoShovel(
  amqpUrl: string,
  managementUrl: string | undefined,
): Promise<string | undefined> {
  if (managementUrl === undefined) return 'the broker has no management API';
  const vhost = encodeURIComponent(targetOfUrl(amqpUrl).vhost);
  const at = `${managementUrl}/api/parameters/shovel/${vhost}/layover-bench-probe`;
  const headers = { authorization: basicAuthOf(amqpUrl), 'content-type': 'application/json' };
  // Refused for what it lacks when there is a shovel, for its kind when there is none.
  const answer = await fetch(at, { method: 'PUT', headers, body: JSON.stringify({ value: {} }) });
  const text = await answer.text();
  if (/component shovel not found/i.test(text)) return 'the broker has no plugin rabbitmq_shovel';
  return answer.status === 401 || answer.status === 403
    ? `no right to make a shovel: ${text}`
    : undefined;
}

/**
 * Replaying 20,000 parked messages of 1 KiB without a rate or a ramp, from the first connection to the
 * end of the run, against RabbitMQ's own shovel (on-confirm, prefetch 1000) from its declaration to the
 * last message, in turn on the same broker; and 100 chosen ones of 50,000 against a bare scan.
 */
export async function benchReplay(amqpUrl: string, managementUrl: string): Promise<ReplayResult> {
  const table = await startLocalTable();
  try {
    await makeTables(table.env);
    const { rounds, selective, peakMiB } = await runChild<Report>('replay-child.ts', {
      AMQP_URL: amqpUrl,
      MANAGEMENT_URL: managementUrl,
      ...table.env,
      ...TABLES,
    });
    const speed = (pick: (round: Report['rounds'][number]) => number) =>
      Math.round(MESSAGES / median(rounds.map(pick)));
    return {
      vsShovel: round2(median(rounds.map(({ shovel, replay }) => shovel / replay))),
      messagesPerSecond: speed(({ replay }) => replay),
      cpuMicroseconds: Math.round((median(rounds.map(({ cpuMs }) => cpuMs)) * 1000) / MESSAGES),
      shovelPerSecond: speed(({ shovel }) => shovel),
      selectiveVsScan: round2(median(selective.map(({ scan, replay }) => replay / scan))),
      planVsScan: round2(median(selective.map(({ scan, plan }) => plan / scan))),
      memoryMiB: peakMiB,
    };
  } finally {
    await table.stop();
  }
}

async function makeTables(env: Readonly<Record<string, string>>): Promise<void> {
  const client = new DynamoDBClient({
    endpoint: env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    region: env.AWS_REGION ?? '',
    credentials: {
      accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '',
    },
  });
  for (const name of Object.values(TABLES)) {
    await client.send(new CreateTableCommand(replayTableInput(name)));
  }
  client.destroy();
}
