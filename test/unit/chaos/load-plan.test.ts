import { describe, expect, it } from 'vitest';
import { ASKED_SUFFIX, POINTS, WAYS } from '../../chaos/harness/faults.ts';
import { FEWEST_MESSAGES, planLoad } from '../../chaos/harness/load-plan.ts';

describe('the plan of a mixed load', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(planLoad(3, 200)).toEqual(planLoad(3, 200));
    expect(planLoad(4, 200)).not.toEqual(planLoad(3, 200));
  });

  it.each([FEWEST_MESSAGES, 2_000])(
    'has every point and every kind of poison (%i messages)',
    (n) => {
      const { kills, poison } = planLoad(1, n).control;
      const atWork = kills.filter(({ place }) => place === 'work').map(({ point }) => point);
      expect(new Set(atWork)).toEqual(new Set(POINTS));
      expect(new Set(poison.values())).toEqual(new Set(WAYS));
    },
  );

  it('never plans a kill for a poisonous message, and asks about each of both', () => {
    const { kills, poison } = planLoad(7, 1_000).control;
    expect(kills.filter(({ id }) => poison.has(id))).toEqual([]);
    for (const id of [...kills.map((kill) => kill.id), ...poison.keys()]) {
      expect(id.endsWith(ASKED_SUFFIX)).toBe(true);
    }
  });

  it('publishes every message it has plans for', () => {
    const { publishes, control } = planLoad(5, 300);
    const published = new Set(publishes);
    expect(published.size).toBe(300);
    const planned = [...control.kills.map(({ id }) => id), ...control.refusals.keys()];
    expect(planned.filter((id) => !published.has(id))).toEqual([]);
  });
});
