import { HAND_BACKS } from '../../../infra/local/hand-back.ts';
import { seededRandom, shuffled } from '../../../infra/local/random.ts';
import { until } from '../../helpers/until.ts';
import type { ChaosBooks } from './books.ts';
import { openChaosStage } from './chaos-stage.ts';
import { DISASTERS } from './disasters.ts';
import type { CutRun } from './downstream-ledger.ts';
import type { FiredFault, PlannedKill } from './faults.ts';
import { planLoad } from './load-plan.ts';
import { Scene } from './scene.ts';
import { Wires } from './wires.ts';

export interface LoadOptions {
  readonly brokerUrl: string;
  readonly managementUrl?: string | undefined;
  readonly seed: number;
  readonly messages: number;
  readonly onProgress?: (text: string) => void;
}

export interface LoadResult {
  readonly handBack: string;
  readonly messages: number;
  readonly books: ChaosBooks;
  readonly fired: readonly FiredFault[];
  readonly unfired: readonly PlannedKill[];
  /** Names of what befell the whole flow, in order. */
  readonly disasters: readonly string[];
  /** Runs that were cut between side effect and record: each may have been applied twice. */
  readonly explained: readonly CutRun[];
  readonly seconds: number;
  readonly lines: readonly string[];
}

/** Some 20 ms a message and half a minute for leases; ten times that on a machine that is busy. */
const restLimitMs = (messages: number) => 300_000 + messages * 60;

/** One load with every kind of fault, chosen by seed; the books are kept when all is at rest. */
export async function runMixedLoad(options: LoadOptions): Promise<LoadResult> {
  const { seed, messages, onProgress = () => {} } = options;
  const startedAtMs = Date.now();
  await using cleanup = new AsyncDisposableStack();
  const stage = await openChaosStage(options.brokerUrl);
  cleanup.defer(() => stage.close());
  const wires = await Wires.lay(stage, options.managementUrl);
  cleanup.defer(() => wires.close());

  const plan = planLoad(seed, messages);
  const handBack = HAND_BACKS[seed % HAND_BACKS.length] ?? 'nack';
  const scene = await Scene.open(stage, {
    name: `load-${seed}`,
    plan: plan.control,
    handBack,
    batchSize: 10,
    parallelism: 3,
    timeoutMs: 8_000,
    env: wires.env,
    pollerUrl: wires.pollerUrl,
  });
  cleanup.defer(() => scene.close());
  await scene.publish(plan.publishes);
  await scene.start();

  const disasters: string[] = [];
  const order = shuffled(seededRandom(seed + 1), DISASTERS);
  for (const [index, { name, happen }] of order.entries()) {
    const from = (messages * (index + 1)) / (order.length + 2);
    await until('enough is done, or nothing goes on', () => isDue(scene, from), {
      timeoutMs: restLimitMs(messages),
      intervalMs: 20,
    });
    const happened = await happen(scene, wires);
    if (happened) disasters.push(name);
    onProgress(`${scene.progress} of ${messages} done; ${name}${happened ? '' : ': not here'}`);
  }
  const books = await scene.rest(restLimitMs(messages));
  const { fired, unfired, ledger } = scene.control;
  return {
    handBack,
    messages: plan.publishes.length,
    books,
    fired,
    unfired,
    disasters,
    explained: ledger.cutRuns,
    seconds: (Date.now() - startedAtMs) / 1000,
    lines: scene.lines,
  };
}

/** Far enough on; or what is left waits for leases and won't move by itself for a while. */
function isDue(scene: Scene, from: number): boolean {
  if (scene.progress >= from) return true;
  const lastMs = Math.max(0, ...[scene.work, scene.isolated].map(lastInvokedAtMs));
  return lastMs > 0 && Date.now() - lastMs > 2_000;
}

function lastInvokedAtMs({ invoked }: Scene['work']): number {
  return invoked.at(-1)?.endedAtMs ?? 0;
}
