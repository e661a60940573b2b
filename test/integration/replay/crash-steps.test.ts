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

/** The whole of what `test/unit/replay/crashes.test.ts` samples; on a model of the broker, for orders of events none gives on demand. */
describe('a run whose workers die', () => {
  const faults = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant<Fault>('none') },
      fc.constantFrom<Fault>('returned', 'nacked', 'lost-before', 'lost-after', 'away'),
    ),
    { minLength: 1, maxLength: 15 },
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
      { numRuns: 50 },
    );
  }, 120_000);

  it.each([true, false])(
    'at every single step (ramp %s)',
    async (ramp) => {
      const given = { faults: Array<Fault>(8).fill('none'), ramp, consumed: 'well' as const };
      let steps = 1;
      for (; steps < 400; steps += 1) {
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
