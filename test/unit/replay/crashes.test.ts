import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CrashCase,
  checkAftermath,
  type Fault,
  playCrashes,
} from '../../helpers/replay-crashes.ts';
import { type ReplayTables, startReplayTables } from '../../helpers/replay-tables.ts';

let tables: ReplayTables;

beforeAll(async () => {
  tables = await startReplayTables();
});
afterAll(async () => {
  await tables.stop();
});

describe('a run whose workers die', () => {
  const faults = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant<Fault>('none') },
      fc.constantFrom<Fault>('returned', 'nacked', 'lost-before', 'lost-after', 'away'),
    ),
    { minLength: 1, maxLength: 8 },
  );
  const cases = fc.record({
    faults,
    lives: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 }),
    ramp: fc.boolean(),
    consumed: fc.constantFrom<CrashCase['consumed']>('well', 'again', 'not'),
  });

  it('loses nothing, doubles nothing it does not name, and ends', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        checkAftermath(given, await playCrashes(tables, given));
      }),
      { numRuns: 10 },
    );
  }, 120_000);

  it('keeps a message whose publish was lost in the very slice that looked for others', async () => {
    const given: CrashCase = {
      faults: ['none', 'lost-before'],
      lives: [16],
      ramp: true,
      consumed: 'well',
    };

    checkAftermath(given, await playCrashes(tables, given));
  });

  it('counts a message once that a worker had to send again before it died', async () => {
    const given: CrashCase = {
      faults: ['away', 'none'],
      lives: [40],
      ramp: false,
      consumed: 'well',
    };

    checkAftermath(given, await playCrashes(tables, given));
  });

  it.each([true, false])(
    'at one step in 8 (ramp %s)',
    async (ramp) => {
      const given = { faults: Array<Fault>(8).fill('none'), ramp, consumed: 'well' as const };
      let steps = 1;
      for (; steps < 400; steps += 8) {
        const once = { ...given, lives: [steps] };
        const after = await playCrashes(tables, once);
        checkAftermath(once, after);
        if (after.died === 0) break;
      }
      // The last life was long enough for the whole run.
      expect(steps).toBeGreaterThan(30);
      expect(steps).toBeLessThan(400);
    },
    120_000,
  );
});
