import type { OutcomeReport } from '../replay/store/outcomes.ts';
import type { Invocation } from './invocation.ts';
import { METRICS } from './metrics.ts';
import type { Outcome } from './outcome.ts';
import type { BatchRecord } from './record.ts';
import { retryUntil } from './retry-until.ts';

/**
 * How long the table of replay is asked again. A ramp's step waits a minute for an outcome, so that one
 * written much later is of no use, and the other messages of the batch wait with it.
 */
const PATIENCE_MS = 20_000;

/**
 * Tells replay how a message that it moved has ended, once its copy is confirmed or its claim has ended.
 * Trouble of the table is replay's loss, never the message's: it is tried again for a while, then logged
 * and counted, and nothing else changes. Never rejects.
 *
 * @returns undefined at once for a message that replay has not moved, and where replay is not deployed
 */
export function reportOutcome<Payload>(
  invocation: Invocation<Payload>,
  { message }: BatchRecord,
  outcome: Outcome,
): Promise<void> | undefined {
  const { recordOutcome } = invocation;
  const runId = message.state.replay.run;
  if (runId === undefined || recordOutcome === undefined) return undefined;
  const ok = endedWell(outcome);
  // Replay stamps a messageId where there was none, so only a forged message has none here.
  const { messageId } = message.properties;
  if (ok === undefined || messageId === undefined) return undefined;
  return tell(invocation, recordOutcome, { runId, messageId, ok });
}

/** Undefined: nothing has come to an end yet, or nobody knows. */
function endedWell(outcome: Outcome): boolean | undefined {
  switch (outcome.kind) {
    case 'done':
    case 'duplicate':
    case 'acknowledge':
    case 'discard':
      return true;
    case 'retry':
    case 'park':
      return false;
    case 'deferred':
    case 'isolated':
    case 'unsettled':
      return undefined;
  }
}

async function tell<Payload>(
  { now, settleByMs, counters, logger }: Invocation<Payload>,
  recordOutcome: (report: OutcomeReport) => Promise<void>,
  report: OutcomeReport,
): Promise<void> {
  try {
    await retryUntil('report the outcome of a replay', () => recordOutcome(report), {
      untilMs: Math.min(settleByMs, now() + PATIENCE_MS),
      now,
    });
  } catch (error) {
    counters.count(METRICS.outcomesLost);
    logger.error('outcome of a replayed message not recorded; its run waits for it in vain', {
      messageId: report.messageId,
      replayRun: report.runId,
      ok: report.ok,
      errorMessage: String(error),
    });
  }
}
