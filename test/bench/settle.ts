import { startLocalTable } from '../../infra/local/local-table.ts';
import { median, runChild } from './child.ts';

interface Round {
  readonly settle: number;
  readonly pipelined: number;
  readonly oneByOne: number;
}

export interface SettleResult {
  readonly vsPipelined: number;
  readonly vsOneByOne: number;
  readonly messagesPerSecond: number;
}

const MESSAGES = 1_000;

/**
 * Settling a batch of 1,000 failed messages of 1 KiB, from the event to the last confirm, against a
 * bare confirm channel that publishes the same copies. Both in turn, in one process: the median of
 * the ratios of each round.
 */
export async function benchSettle(amqpUrl: string): Promise<SettleResult> {
  return summarise(await runChild<Round[]>('settle-child.ts', { AMQP_URL: amqpUrl }));
}

/** The same with idempotency on: a claim and its release per message, on a local table. */
export async function benchSettleWithTable(amqpUrl: string): Promise<SettleResult> {
  const table = await startLocalTable();
  try {
    return summarise(
      await runChild<Round[]>('settle-child.ts', {
        AMQP_URL: amqpUrl,
        BENCH_ROUNDS: '5',
        BENCH_WARM_UP: '1',
        ...table.env,
      }),
    );
  } finally {
    await table.stop();
  }
}

function summarise(rounds: readonly Round[]): SettleResult {
  const ratio = (peer: (round: Round) => number) =>
    round2(median(rounds.map((round) => peer(round) / round.settle)));
  return {
    vsPipelined: ratio(({ pipelined }) => pipelined),
    vsOneByOne: ratio(({ oneByOne }) => oneByOne),
    messagesPerSecond: Math.round(MESSAGES / median(rounds.map(({ settle }) => settle))),
  };
}

export function round2(value: number): number {
  return Math.round(value * 100) / 100;
}
