import type { Message } from '../message/types.ts';
import { nextLap } from '../policy/schedule.ts';
import type { Failure, Flow } from '../policy/types.ts';
import { ownFailure } from './own-failure.ts';
import { CONVICTING_COUNT, deliveries, isSuspect } from './suspicion.ts';

/** What is to be done with a record before anyone looks into a table or runs a handler. */
export type Triage =
  /** Run the handler, if its claim can be taken. */
  | { readonly kind: 'run' }
  /** It came back from a wait that is only part of the whole: on to the next lap. */
  | { readonly kind: 'lap'; readonly until: Date }
  /** An earlier invocation may have died with it: it must not run beside others. */
  | { readonly kind: 'isolate' }
  /** Failed without running. */
  | { readonly kind: 'fail'; readonly failure: Failure };

export interface TriageInput {
  readonly message: Message;
  /** What the event's decoder could not read; undefined in the good case. */
  readonly decodeProblem: string | undefined;
  readonly flow: Pick<Flow, 'schedule'>;
  /** True when the record was read from the flow's isolated queue. */
  readonly isolated: boolean;
  /** False where there is no table: then the broker's count convicts. */
  readonly canProve: boolean;
  readonly now: Date;
}

/** Pure and total. The order of the questions is the order of precedence. */
export function triage(input: TriageInput): Triage {
  const { message, decodeProblem, flow, isolated, canProve, now } = input;
  const { state } = message;

  if (decodeProblem !== undefined) {
    return fail('contract', 'layover.undecodable-record', 'UndecodableRecord', decodeProblem);
  }
  if (!isolated && isSuspect(message)) return { kind: 'isolate' };

  if (state.origin.deadline && state.origin.deadline <= now) {
    const reason = `The sender's expiration ended at ${state.origin.deadline.toISOString()}`;
    return fail('stale', 'layover.sender-deadline', 'SenderDeadline', reason);
  }
  if (state.notBefore && nextLap(state.notBefore, now, flow.schedule) !== undefined) {
    return { kind: 'lap', until: state.notBefore };
  }
  if (isolated && !canProve && (deliveries(message) ?? 0) >= CONVICTING_COUNT) {
    return fail(
      'poison',
      'layover.delivered-too-often',
      'PoisonMessage',
      `Delivered ${deliveries(message)} times to an isolated run, and never settled`,
    );
  }
  return { kind: 'run' };
}

function fail(...failure: Parameters<typeof ownFailure>): Triage {
  return { kind: 'fail', failure: ownFailure(...failure) };
}
