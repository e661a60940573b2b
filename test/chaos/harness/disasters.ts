import type { TcpProxy } from '../../helpers/tcp-proxy.ts';
import { until } from '../../helpers/until.ts';
import type { Scene } from './scene.ts';
import type { Wires } from './wires.ts';

/** Something that befalls the whole flow, not one message. Gives false when it could not be made to happen. */
export interface Disaster {
  readonly name: string;
  readonly happen: (scene: Scene, wires: Wires) => Promise<boolean>;
}

/** Long enough for several tries of whatever is broken meanwhile. */
const OUTAGE_MS = 2_000;

/**
 * The kill from outside takes the work queue's function only: an isolated run killed from outside while it
 * runs is by contract not to be told from a poisonous message. Table and broker never fail at the same
 * time, for the same reason (docs/guarantees.md).
 */
export const DISASTERS: readonly Disaster[] = [
  {
    name: 'connection to the broker cut',
    happen: (scene, wires) => scene.disturbed(async () => cut(wires.toBroker)),
  },
  {
    name: 'connection to the broker black-holed',
    happen: (scene, wires) => scene.disturbed(() => wires.blackHole(outage)),
  },
  {
    name: 'connection of the pollers cut',
    happen: (scene, wires) => scene.disturbed(async () => cut(wires.ofPoller)),
  },
  {
    name: 'table of claims down',
    happen: (scene, wires) => scene.disturbed(() => wires.tableDown(outage)),
  },
  { name: 'functions cannot start', happen: cannotStart },
  { name: 'wait and parking queues full', happen: queuesFull },
  {
    name: 'secret rotated',
    happen: (scene, wires) => scene.disturbed(() => wires.rotate()),
  },
  { name: 'function killed from outside', happen: killFromOutside },
];

function cut(wire: TcpProxy): true {
  wire.cut();
  return true;
}

async function outage(): Promise<true> {
  const endMs = Date.now() + OUTAGE_MS;
  await until('the outage is over', () => Date.now() >= endMs, { timeoutMs: 2 * OUTAGE_MS });
  return true;
}

async function cannotStart(scene: Scene): Promise<boolean> {
  for (const mapping of [scene.work, scene.isolated]) mapping.break();
  try {
    return await outage();
  } finally {
    for (const mapping of [scene.work, scene.isolated]) mapping.repair();
  }
}

async function queuesFull(scene: Scene, { admin }: Wires): Promise<boolean> {
  if (admin === undefined) return false;
  const { queue } = scene.flow;
  // Not the work and isolated queues: a full target stalls the broker's dead-lettering for 3 minutes.
  const pattern = `^${queue}\\.(parked|wait\\.[0-9a-z]+|isolated\\.wait)$`;
  await admin.limitLength(queue, pattern, 0);
  try {
    return await outage();
  } finally {
    await admin.unlimit(queue, pattern);
  }
}

async function killFromOutside(scene: Scene): Promise<boolean> {
  try {
    return await until(
      'the function is busy',
      () => scene.work.function.busy && scene.work.function.kill(),
      { timeoutMs: 5_000, intervalMs: 1 },
    );
  } catch {
    return false;
  }
}
