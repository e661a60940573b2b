import type { Flow, ReplaySettings } from '../policy/types.ts';
import { estimateMs } from './estimate.ts';
import { matchesFilter } from './filter.ts';
import { type GuardAnswer, type GuardName, lifetimeCap, maxAge, read } from './guards.ts';
import { loadMemory } from './memory.ts';
import { automaticGuards, type Memory, manualGuards, wasMoved } from './message-guards.ts';
import type { ReplayPorts } from './ports.ts';
import { digestOf } from './selection.ts';
import { Summariser } from './summary.ts';
import { survey } from './survey.ts';
import type { ParkedFacts, Plan, ReplayFilter, RunAction, RunOptions } from './types.ts';

/** A plan is for the content it saw; after an hour too much of that may have changed. */
const VALID_MS = 60 * 60_000;
const SAMPLES = 10;

export interface PlanRequest {
  readonly action: RunAction;
  readonly by: string;
  readonly filter: ReplayFilter;
  readonly options: RunOptions;
}

/**
 * Looks at the flow's parking queue and plans what a person asked for. Moves nothing. The plan says
 * what it saw, how far it looked and what it would do; a run of it touches these messages only.
 */
export async function makePlan(
  ports: ReplayPorts,
  flow: Flow<never>,
  request: PlanRequest,
): Promise<Plan> {
  const memory = await loadMemory(ports, flow);
  const nowMs = ports.now();
  const { filter } = request;
  const draft = new Draft(nowMs, filter.limit ?? Number.POSITIVE_INFINITY);
  const warn = warningsOf(flow, nowMs);
  const end = await survey(ports, flow, (facts) => {
    const automatic = automaticGuards(facts, flow.replay, memory, nowMs);
    if (wasMoved(facts, memory)) draft.leftBehind += 1;
    if (!matchesFilter(facts, filter)) draft.pass(facts, automatic);
    else
      draft.consider(facts, mayMove(facts, flow.replay, request, memory), automatic, warn(facts));
    return 'more';
  });
  return draft.save(ports, flow, { ...request, mode: 'manual' }, end);
}

/** Discarding doesn't ask where a message belongs; moving does. */
function mayMove(
  facts: ParkedFacts,
  settings: ReplaySettings,
  { action, options }: Pick<PlanRequest, 'action' | 'options'>,
  memory: Memory,
): GuardAnswer {
  return action === 'discard' ? { holds: true } : manualGuards(facts, settings, options, memory);
}

/** What a person should think about before moving a message. */
function warningsOf(flow: Flow<never>, nowMs: number) {
  const { lifetimeCap: cap, maxAgeMs } = flow.replay;
  return (facts: ParkedFacts): readonly string[] => {
    const warnings: string[] = [];
    if (!lifetimeCap(facts.replayCount, cap).holds) {
      warnings.push('replayed as often as automatic replay would, or more');
    }
    if (facts.parkedAt !== undefined && !maxAge(read(facts.parkedAt), nowMs, maxAgeMs).holds) {
      warnings.push('older than idempotency records are kept: what was done may be done again');
    }
    return warnings;
  };
}

/** A plan in the making. */
export class Draft {
  readonly #nowMs: number;
  readonly #limit: number;
  readonly #summariser: Summariser;
  readonly #selection: string[] = [];
  readonly #sample: ParkedFacts[] = [];
  readonly #warnings = new Map<string, number>();
  readonly #refused: Partial<Record<GuardName, number>> = {};
  #bytes = 0;
  leftBehind = 0;

  constructor(nowMs: number, limit: number) {
    this.#nowMs = nowMs;
    this.#limit = limit;
    this.#summariser = new Summariser(nowMs);
  }

  get selectedCount(): number {
    return this.#selection.length;
  }

  get refused(): Readonly<Partial<Record<GuardName, number>>> {
    return this.#refused;
  }

  /** A message the filter doesn't mean. */
  pass(facts: ParkedFacts, automatic: GuardAnswer): void {
    this.#summariser.add(facts, false, automatic);
  }

  /** A message that is meant: selected when the answer holds and the limit is not reached. */
  consider(
    facts: ParkedFacts,
    answer: GuardAnswer,
    automatic: GuardAnswer,
    warnings: readonly string[] = [],
  ): void {
    const selected = answer.holds && this.#selection.length < this.#limit;
    this.#summariser.add(facts, selected, automatic);
    if (!answer.holds) this.#refused[answer.guard] = (this.#refused[answer.guard] ?? 0) + 1;
    if (!selected) return;
    this.#selection.push(facts.fingerprint);
    this.#bytes += facts.bytes;
    if (this.#sample.length < SAMPLES) this.#sample.push(facts);
    for (const what of warnings) this.#warnings.set(what, (this.#warnings.get(what) ?? 0) + 1);
  }

  async save(
    ports: ReplayPorts,
    flow: Flow<never>,
    request: PlanRequest & Pick<Plan, 'mode'>,
    end: { readonly depth: number; readonly scanned: number },
  ): Promise<Plan> {
    const { action, mode, by, filter, options } = request;
    const selected = this.#selection.length;
    const plan: Plan = {
      id: ports.newId(),
      environment: ports.environment,
      flow: flow.name,
      action,
      mode,
      createdAt: new Date(this.#nowMs),
      createdBy: by,
      validUntil: new Date(this.#nowMs + VALID_MS),
      filter,
      options,
      window: { depth: end.depth, scanned: end.scanned, complete: end.scanned >= end.depth },
      selected,
      selectedBytes: this.#bytes,
      leftBehind: this.leftBehind,
      digest: digestOf(this.#selection),
      summary: this.#summariser.summary(),
      sample: this.#sample,
      estimateMs: estimateMs({ scanned: end.scanned, selected, ...options }),
      warnings: [...this.#warnings].map(([what, count]) => ({ what, count })),
      refused: this.#refused,
    };
    await ports.store.plans.save(plan, this.#selection);
    return plan;
  }
}
