import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Invocation, mayStart } from './invocation.ts';
import { deferred, type Judgement, judge } from './judge.ts';
import type { Outcome } from './outcome.ts';
import type { BatchRecord } from './record.ts';
import { report } from './report.ts';
import { reportOutcome } from './report-outcome.ts';
import { settle } from './settle.ts';

/** After so many decisions the event loop gets a turn: copies leave, confirms come in. */
const RECORDS_PER_TURN = 32;

/**
 * Runs a batch: at most `flow.parallelism` handlers at a time, each record settled on its own, as soon
 * as it is decided and beside the next handlers. Records of one key run one after the other, so that
 * a message that is in the batch twice runs once. Never rejects.
 */
export async function runBatch<Payload>(
  invocation: Invocation<Payload>,
  records: readonly BatchRecord[],
): Promise<readonly Outcome[]> {
  const settled: Promise<Outcome>[] = [];
  const lastOfKey = new Map<string, Promise<unknown>>();
  let next = 0;
  const breathe = breather(RECORDS_PER_TURN);

  const worker = async () => {
    for (let index = next++; index < records.length; index = next++) {
      const record = records[index] as BatchRecord;
      const key = 'value' in record.key ? record.key.value : undefined;
      const twin = key === undefined ? undefined : lastOfKey.get(key);
      const judged = (twin ?? Promise.resolve()).then(() => judgeInTime(invocation, record, index));
      const outcome = judged.then((judgement) => finish(invocation, record, judgement));
      settled[index] = outcome;
      if (key !== undefined) lastOfKey.set(key, outcome);
      await judged;
      // Handlers that never wait would keep copies from leaving until the last of them is done.
      await breathe();
    }
  };
  const workers = Math.min(invocation.flow.parallelism, records.length);
  await Promise.all(Array.from({ length: workers }, worker));
  return Promise.all(settled);
}

/** Lets every caller wait for the next turn of the event loop once per `every` calls of all of them. */
function breather(every: number): () => Promise<void> | undefined {
  let calls = 0;
  let turn: Promise<void> | undefined;
  return () => {
    if (++calls >= every) {
      turn ??= nextTurn().then(() => {
        calls = 0;
        turn = undefined;
      });
    }
    return turn;
  };
}

type Judged = { readonly judgement: Judgement } | { readonly error: unknown };

async function judgeInTime<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  index: number,
): Promise<Judged> {
  if (!mayStart(invocation, index)) {
    return { judgement: deferred(invocation, record.message, 'time') };
  }
  try {
    return { judgement: await judge(invocation, record) };
  } catch (error) {
    return { error };
  }
}

async function finish<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  judged: Judged,
): Promise<Outcome> {
  const judgement = 'judgement' in judged ? judged.judgement : undefined;
  const outcome: Outcome =
    'judgement' in judged
      ? await settle(invocation, record, judged.judgement)
      : { kind: 'unsettled', error: judged.error };
  report(invocation, record, judgement, outcome);
  const told = reportOutcome(invocation, record, outcome);
  if (told !== undefined) await told;
  return outcome;
}
