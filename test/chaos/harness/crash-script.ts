import { until } from '../../helpers/until.ts';
import type { ChaosBooks, Whereabouts } from './books.ts';
import type { ChaosStage } from './chaos-stage.ts';
import type { ControlPlan } from './control.ts';
import type { CutRun } from './downstream-ledger.ts';
import {
  type FiredFault,
  INNOCENT_WHEN_ISOLATED,
  type PlannedKill,
  POINTS,
  POINTS_WITHOUT_TABLE,
  type Point,
} from './faults.ts';
import { Scene, type SceneOptions } from './scene.ts';

/** Killed once in the work queue's function, at the point it is named after. */
export const victimOf = (point: Point) => `${point}.f`;
/** Killed once in isolation, at a point where it is innocent by all that can be known. */
export const isolatedVictimOf = (point: Point) => `isolated-${point}.f`;

/** Kills whatever runs it. */
export const POISON = 'poison.f';
/** The downstream refuses it for good. */
export const INVALID = 'invalid';
/** The downstream never answers it well. */
export const EXHAUSTED = 'exhausted';

/** A point that only a failing handler reaches. */
const NEEDS_FAILURE: ReadonlySet<Point> = new Set(['after-release', 'after-publish']);

/** Which points there are, and which of them in isolation. */
export function pointsOf(idempotency: SceneOptions['idempotency']) {
  const points = idempotency === 'no-table' ? POINTS_WITHOUT_TABLE : POINTS;
  const isolated = INNOCENT_WHEN_ISOLATED.filter((point) => points.includes(point));
  return { points, isolated };
}

/** One batch of six per point: the victim is the second, so that others run beside it and after it. */
function batchesOf({ points, isolated }: ReturnType<typeof pointsOf>): string[][] {
  const batches = points.map((point, n) => {
    const victim = isolated[n];
    const last = victim === undefined ? `${point}-last` : isolatedVictimOf(victim);
    return neighboursOf(point, victimOf(point), last);
  });
  const [first = [], second = []] = batches;
  first[3] = INVALID;
  second[3] = EXHAUSTED;
  return [...batches, neighboursOf('poison', POISON, 'poison-last')];
}

function neighboursOf(name: string, victim: string, last: string): string[] {
  return [`${name}-0`, victim, `${name}-2`, `${name}-3`, `${name}-4`, last];
}

function planOfCrashes({ points, isolated }: ReturnType<typeof pointsOf>): ControlPlan {
  const kills: PlannedKill[] = [
    ...points.map((point) => ({ id: victimOf(point), point, place: 'work' as const })),
    ...isolated.map((point) => ({
      id: isolatedVictimOf(point),
      point,
      place: 'isolated' as const,
    })),
  ];
  const once = { status: 503, attempts: 1 };
  const refusals = new Map([
    [INVALID, { status: 422, attempts: 99 }],
    [EXHAUSTED, { status: 503, attempts: 99 }],
    ...kills.filter(({ point }) => NEEDS_FAILURE.has(point)).map(({ id }) => [id, once] as const),
  ]);
  return { kills, poison: new Map([[POISON, 'SIGKILL']]), refusals };
}

export interface CrashResult {
  readonly books: ChaosBooks;
  readonly byId: ReadonlyMap<string, Whereabouts>;
  readonly fired: readonly FiredFault[];
  readonly unfired: readonly PlannedKill[];
  readonly cutRuns: readonly CutRun[];
  /** The last lines of functions and pollers, for a failing test. */
  readonly lines: readonly string[];
}

/**
 * Kills a flow's functions at every point, one batch after the other, and gives the books at rest. The
 * next batch is published when the work queue's function is through with the one before, so that each
 * victim reaches its point as an ordinary message.
 */
export async function runCrashScript(
  stage: ChaosStage,
  options: Omit<SceneOptions, 'plan'>,
): Promise<CrashResult> {
  const points = pointsOf(options.idempotency);
  const scene = await Scene.open(stage, { ...options, plan: planOfCrashes(points) });
  try {
    await scene.start();
    for (const batch of batchesOf(points)) {
      await scene.publish(batch);
      await until(`the batch of ${batch[1]} is through`, () => isThrough(scene, batch), {
        timeoutMs: 30_000,
      });
    }
    const books = await scene.rest();
    return {
      books,
      byId: new Map(books.messages.map((message) => [message.id, message])),
      fired: scene.control.fired,
      unfired: scene.control.unfired,
      cutRuns: scene.control.ledger.cutRuns,
      lines: scene.lines.slice(-80),
    };
  } finally {
    await scene.close();
  }
}

/** Its victim has died, and an invocation that returned had every one of its messages. */
function isThrough(scene: Scene, batch: readonly string[]): boolean {
  const [, victim] = batch;
  if (!scene.control.fired.some(({ id }) => id === victim)) return false;
  const settled = new Set(
    scene.work.invoked.flatMap(({ failed, ids }) => (failed === undefined ? ids : [])),
  );
  return batch.every((id) => settled.has(id));
}
