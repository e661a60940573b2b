import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HandBack } from '../../infra/local/hand-back.ts';
import { brokerUrl } from '../helpers/broker.ts';
import { type ChaosStage, openChaosStage } from './harness/chaos-stage.ts';
import {
  type CrashResult,
  EXHAUSTED,
  INVALID,
  isolatedVictimOf,
  POISON,
  pointsOf,
  runCrashScript,
  victimOf,
} from './harness/crash-script.ts';
import { pool } from './harness/pool.ts';

type Queue = 'quorum' | 'classic';
type Idempotency = 'on' | 'off' | 'no-table';

const MODES: readonly (readonly [Queue, HandBack, Idempotency])[] = [
  ['quorum', 'nack', 'on'],
  ['quorum', 'reject', 'on'],
  ['quorum', 'close', 'on'],
  ['quorum', 'memory', 'on'],
  ['classic', 'nack', 'on'],
  ['classic', 'reject', 'on'],
  ['classic', 'close', 'on'],
  ['classic', 'memory', 'on'],
  ['quorum', 'nack', 'off'],
  ['classic', 'memory', 'off'],
  ['quorum', 'reject', 'no-table'],
  ['classic', 'nack', 'no-table'],
];

/** Scenes beside each other; each runs two functions, and most of its time is waiting for leases. */
const SCENES_AT_A_TIME = 8;

/** A busy machine may let a victim finish before its neighbour's death: then it is all done once more. */
const SCRIPT_TRIES = 3;

async function untilAllDied(
  handBack: HandBack,
  script: () => Promise<CrashResult>,
): Promise<CrashResult> {
  for (let tries = 1; ; tries++) {
    const result = await script();
    const { lost, torn, surplus } = result.books;
    const sound = lost.length + torn.length + surplus.length === 0;
    // A run with something wrong in its books is never thrown away.
    if (!sound || spared(handBack, result).length === 0 || tries === SCRIPT_TRIES) return result;
  }
}

/** Planned kills that did not happen; a poller that keeps the batch in memory isolates only claimed messages. */
function spared(handBack: HandBack, { unfired }: CrashResult) {
  const expected = handBack === 'memory' ? ['work'] : ['work', 'isolated'];
  return unfired.filter(({ place }) => expected.includes(place));
}

let stage: ChaosStage;
let results: readonly Promise<CrashResult>[];

beforeAll(async () => {
  stage = await openChaosStage(brokerUrl());
  results = pool(MODES, SCENES_AT_A_TIME, ([queue, handBack, idempotency]) => {
    const name = `${queue}-${handBack}-${idempotency}`;
    return untilAllDied(handBack, () =>
      runCrashScript(stage, { name, queue, handBack, idempotency }),
    );
  });
});
afterAll(async () => {
  await Promise.allSettled(results);
  await stage.close();
});

describe.each(MODES)('on a %s queue, handed back by %s, idempotency %s', (...mode) => {
  const [, handBack, idempotency] = mode;
  const { points, isolated } = pointsOf(idempotency);
  const result = async () => {
    const found = await (results[
      MODES.findIndex((one) => one.join() === mode.join())
    ] as Promise<CrashResult>);
    if (found.books.lost.length > 0) console.log(found.lines.join('\n'));
    return found;
  };

  it('every planned kill happens', async () => {
    expect(spared(handBack, await result())).toEqual([]);
  });

  it('every message ends in exactly one final place', async () => {
    const { lost, torn, surplus } = (await result()).books;
    expect({ lost, torn, surplus }).toEqual({ lost: [], torn: [], surplus: [] });
  });

  it.each(points)('a kill %s loses nothing, and doubles no more than it must', async (point) => {
    const message = (await result()).byId.get(victimOf(point));
    expect(message).toMatchObject({ honoured: 1, parked: [] });
    if (point === 'after-effect') expect(message?.effects).toBe(2);
    else if (idempotency === 'on') expect(message?.effects).toBe(1);
  });

  it.each(isolated)('a kill %s in isolation convicts nobody', async (point) => {
    const message = (await result()).byId.get(isolatedVictimOf(point));
    expect(message).toMatchObject({ honoured: 1, parked: [] });
  });

  it('exactly the culprit is parked as poison', async () => {
    const { byId, books } = await result();
    expect(books.wronglyConvicted).toEqual([]);
    expect(byId.get(POISON)).toMatchObject({ parked: ['poison'], effects: 0 });
  });

  it('no message gets more attempts than the cap', async () => {
    const { byId, books } = await result();
    expect(books.overCap).toEqual([]);
    expect(byId.get(EXHAUSTED)?.parked).toContain('transient');
    expect(byId.get(INVALID)?.parked).toContain('invalid');
  });

  it('a downstream that honours the key applies everything once', async () => {
    expect((await result()).books.appliedTwice.honouring).toBe(0);
  });

  if (idempotency === 'on') {
    it('one that ignores it applies twice only what was cut between effect and record', async () => {
      const { books, cutRuns } = await result();
      const cut = new Set(cutRuns.map(({ id }) => id));
      const twice = books.messages.filter(({ effects }) => effects > 1).map(({ id }) => id);
      expect(twice.filter((id) => !cut.has(id))).toEqual([]);
      expect(books.appliedTwice.ignoring).toBeLessThanOrEqual(cutRuns.length);
    });
  } else {
    it('a message is doubled only by an invocation that failed', async () => {
      const { books } = await result();
      const unexplained = books.messages.filter(
        ({ effects, interruptions }) => effects > 1 + interruptions,
      );
      expect(unexplained).toEqual([]);
    });
  }
});
