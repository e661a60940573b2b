import { flowMessage } from '../consumer/flow-message.ts';
import type { Message } from '../message/types.ts';
import type { Flow } from '../policy/types.ts';
import {
  type GuardAnswer,
  type GuardName,
  inProgress,
  type Reading,
  reading,
  stillWanted,
  type WorkState,
} from './guards.ts';
import { loadMemory } from './memory.ts';
import { automaticGuards, firstRefusal, wasMoved } from './message-guards.ts';
import { Draft } from './plan.ts';
import type { ReplayPorts } from './ports.ts';
import { survey } from './survey.ts';
import type { ParkedFacts, Plan } from './types.ts';

export interface AutomaticPlan {
  /** Absent when no message passed all guards. */
  readonly plan: Plan | undefined;
  readonly selected: number;
  readonly refused: Readonly<Partial<Record<GuardName, number>>>;
}

export interface AutomaticLimit {
  readonly limit: number;
  readonly limitedBy: GuardName;
  /** False: nothing is saved, nothing can be run. */
  readonly save: boolean;
}

/**
 * Looks at the flow's parking queue and plans what every guard lets through. The flow's own
 * `stillWanted` and the idempotency records are asked for those only that passed everything else.
 */
export async function planAutomatic(
  ports: ReplayPorts,
  flow: Flow<never>,
  { limit, limitedBy, save }: AutomaticLimit,
): Promise<AutomaticPlan> {
  const memory = await loadMemory(ports, flow);
  const nowMs = ports.now();
  const draft = new Draft(nowMs, Number.POSITIVE_INFINITY);
  const passed: { readonly facts: ParkedFacts; readonly message: Message }[] = [];
  const end = await survey(ports, flow, (facts, message) => {
    if (wasMoved(facts, memory)) draft.leftBehind += 1;
    const answer = firstRefusal(
      () => automaticGuards(facts, flow.replay, memory, nowMs),
      () => withinLimit(passed.length, limit, limitedBy),
    );
    if (answer.holds) passed.push({ facts, message });
    else draft.consider(facts, answer, answer);
    return 'more';
  });
  const messages = passed.map(({ message }) => message);
  const states = await ports.workStates(flow, messages);
  for (const [n, { facts, message }] of passed.entries()) {
    const answer = await lastGuards(flow, message, states[n]);
    draft.consider(facts, answer, answer);
  }
  const selected = draft.selectedCount;
  if (selected === 0 || !save) return { plan: undefined, selected, refused: draft.refused };
  const request = {
    action: 'replay',
    mode: 'automatic',
    by: 'schedule',
    filter: { classes: flow.replay.automatic },
    options: { ramp: true, ratePerSecond: flow.replay.ratePerSecond },
  } as const;
  const plan = await draft.save(ports, flow, request, end);
  return { plan, selected, refused: draft.refused };
}

function withinLimit(taken: number, limit: number, limitedBy: GuardName): GuardAnswer {
  if (taken < limit) return { holds: true };
  return { holds: false, guard: limitedBy, because: `${limit} messages are the most now` };
}

async function lastGuards(
  flow: Flow<never>,
  message: Message,
  state: Reading<WorkState> | undefined,
): Promise<GuardAnswer> {
  const working = inProgress(state ?? { kind: 'unreadable', why: 'no answer' });
  if (!working.holds) return working;
  const { stillWanted: ask } = flow.replay;
  // What is done already is removed as a duplicate, wanted or not.
  const done = state?.kind === 'read' && state.value === 'completed';
  if (ask === undefined || done) return { holds: true };
  return stillWanted(await reading(() => ask(flowMessage(message))));
}
