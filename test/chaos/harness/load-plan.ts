import { between, pick, type Random, seededRandom } from '../../../infra/local/random.ts';
import type { ControlPlan, Refusal } from './control.ts';
import {
  ASKED_SUFFIX,
  INNOCENT_WHEN_ISOLATED,
  type Place,
  type PlannedKill,
  POINTS,
  type Point,
  WAYS,
  type Way,
} from './faults.ts';

/** What is published, in order, and what is to go wrong with it. The same for the same seed. */
export interface LoadPlan {
  readonly publishes: readonly string[];
  readonly control: ControlPlan;
}

/** Shares of all messages whose downstream refuses them. */
const FLAKY_SHARE = 0.08;
const INVALID_SHARE = 0.02;
const EXHAUSTED_SHARE = 0.01;
const SENT_TWICE_SHARE = 0.02;

/** Beside one kill at each point: one more for so many messages. */
const MESSAGES_PER_EXTRA_KILL = 250;
const MESSAGES_PER_EXTRA_POISON = 1_000;

/** An isolated victim is published this far behind a victim at work, so that one batch has both. */
const ISOLATED_BEHIND = 5;

export function planLoad(seed: number, messages: number): LoadPlan {
  const random = seededRandom(seed);
  const names = new Map<number, string>();
  const idAt = (index: number) => names.get(index) ?? `m-${String(index).padStart(5, '0')}`;
  const asked = (index: number) => {
    names.set(index, `m-${String(index).padStart(5, '0')}${ASKED_SUFFIX}`);
    return idAt(index);
  };
  const taken = new Set<number>();
  const free = () => {
    for (;;) {
      const index = between(random, 0, messages - 1);
      const behind = index + ISOLATED_BEHIND;
      if (behind < messages && !taken.has(index) && !taken.has(behind)) {
        taken.add(index).add(behind);
        return index;
      }
    }
  };

  const kills: PlannedKill[] = [];
  const poison = new Map<string, Way>();
  const refusals = new Map<string, Refusal>();
  const plan = (point: Point, place: Place, index: number) => {
    kills.push({ id: asked(index), point, place });
    if (needsFailure(point)) refusals.set(idAt(index), { status: 503, attempts: 1 });
  };
  for (const [n, point] of victims(random, messages).entries()) {
    const index = free();
    plan(point, 'work', index);
    const isolatedPoint = INNOCENT_WHEN_ISOLATED[n];
    if (isolatedPoint !== undefined) plan(isolatedPoint, 'isolated', index + ISOLATED_BEHIND);
  }
  const extraPoison = Math.floor(messages / MESSAGES_PER_EXTRA_POISON);
  for (const way of [...WAYS, ...Array.from({ length: extraPoison }, () => pick(random, WAYS))]) {
    poison.set(asked(free()), way);
  }

  const publishes: string[] = [];
  for (let index = 0; index < messages; index++) {
    const id = idAt(index);
    publishes.push(id);
    if (taken.has(index)) continue;
    const refusal = refusalOf(random());
    if (refusal !== undefined) refusals.set(id, refusal);
    if (random() < SENT_TWICE_SHARE) publishes.push(id);
  }
  return { publishes, control: { kills, poison, refusals } };
}

/** At least the messages that every fault needs two of. */
export const FEWEST_MESSAGES = 100;

function victims(random: Random, messages: number): Point[] {
  const extra = Math.floor(messages / MESSAGES_PER_EXTRA_KILL);
  return [...POINTS, ...Array.from({ length: extra }, () => pick(random, POINTS))];
}

function needsFailure(point: Point): boolean {
  return point === 'after-release' || point === 'after-publish';
}

function refusalOf(drawn: number): Refusal | undefined {
  if (drawn < EXHAUSTED_SHARE) return { status: 503, attempts: Number.MAX_SAFE_INTEGER };
  if (drawn < EXHAUSTED_SHARE + INVALID_SHARE) {
    return { status: 422, attempts: Number.MAX_SAFE_INTEGER };
  }
  const flaky = EXHAUSTED_SHARE + INVALID_SHARE + FLAKY_SHARE;
  return drawn < flaky ? { status: 503, attempts: drawn * 1e4 > 700 ? 2 : 1 } : undefined;
}
