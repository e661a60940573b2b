import { describe, expect, it } from 'vitest';
import {
  type AlarmState,
  alarms,
  allowedByRate,
  batch,
  failureClass,
  type GuardAnswer,
  hourlyBudget,
  inProgress,
  killSwitch,
  lifetimeCap,
  maxAge,
  minAge,
  origin,
  type ParkedOrigin,
  rate,
  read,
  reading,
  restsUntilMs,
  type SignatureRecord,
  type SwitchState,
  signatureBackoff,
  stillWanted,
  stricter,
  uncertain,
  unreadable,
  type WorkState,
  workDepth,
} from '../../../functions/replay/guards.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 5, 1, 12);

const ago = (ms: number) => read(new Date(NOW_MS - ms));

function guardOf(answer: GuardAnswer): string {
  return answer.holds ? 'holds' : answer.guard;
}

describe('kill switch', () => {
  it.each<[SwitchState, 'automatic' | 'manual', string]>([
    ['on', 'automatic', 'holds'],
    ['on', 'manual', 'holds'],
    ['observe', 'automatic', 'holds'],
    ['observe', 'manual', 'holds'],
    ['manual', 'automatic', 'kill-switch'],
    ['manual', 'manual', 'holds'],
    ['off', 'automatic', 'kill-switch'],
    ['off', 'manual', 'kill-switch'],
  ])('%s gives for a run that is %s: %s', (state, mode, expected) => {
    expect(guardOf(killSwitch(read(state), mode))).toBe(expected);
  });

  it.each<[SwitchState, SwitchState, SwitchState]>([
    ['on', 'on', 'on'],
    ['on', 'off', 'off'],
    ['off', 'on', 'off'],
    ['observe', 'manual', 'manual'],
    ['observe', 'on', 'observe'],
  ])('of %s and %s the stricter is %s', (a, b, expected) => {
    expect(stricter(a, b)).toBe(expected);
  });
});

describe('alarms', () => {
  const one = (state: string): AlarmState[] => [{ name: 'payment-errors', state }];

  it.each([
    ['OK', 'holds'],
    ['ALARM', 'alarms'],
    ['INSUFFICIENT_DATA', 'alarms'],
    ['ok', 'alarms'],
  ])('a named alarm that is %s: %s', (state, expected) => {
    expect(guardOf(alarms(read(one(state)), ['payment-errors']))).toBe(expected);
  });

  it('names every alarm that is not quiet, also one that does not exist', () => {
    const answer = alarms(read(one('ALARM')), ['payment-errors', 'gone']);

    expect(answer).toMatchObject({ because: 'payment-errors is ALARM, gone is unknown' });
  });

  it('ignores alarms the flow does not name', () => {
    const states = [...one('OK'), { name: 'parking-depth', state: 'ALARM' }];

    expect(alarms(read(states), ['payment-errors'])).toEqual({ holds: true });
  });

  it('holds without asking when no alarm is named', () => {
    expect(alarms(unreadable('no permission'), [])).toEqual({ holds: true });
  });
});

describe('limits on numbers, at their boundaries', () => {
  it.each([
    [0, 0, 'holds'],
    [1, 0, 'work-depth'],
    [1000, 1000, 'holds'],
    [1001, 1000, 'work-depth'],
    [Number.NaN, 1000, 'work-depth'],
  ])('a work queue of %d under a ceiling of %d: %s', (depth, ceiling, expected) => {
    expect(guardOf(workDepth(read(depth), ceiling))).toBe(expected);
  });

  it.each([
    [0, 0, 1, 'holds'],
    [499, 0, 500, 'holds'],
    [500, 0, 500, 'hourly-budget'],
    [400, 99, 500, 'holds'],
    [400, 100, 500, 'hourly-budget'],
    [501, 0, 500, 'hourly-budget'],
    [Number.NaN, 0, 500, 'hourly-budget'],
  ])('%d used and %d taken of a budget of %d: %s', (used, taken, budget, expected) => {
    expect(guardOf(hourlyBudget(read(used), taken, budget))).toBe(expected);
  });

  it.each([
    [0, 1, 'holds'],
    [1, 1, 'batch'],
    [99, 100, 'holds'],
    [100, 100, 'batch'],
  ])('%d taken of a batch of %d: %s', (taken, size, expected) => {
    expect(guardOf(batch(taken, size))).toBe(expected);
  });

  it.each([
    [10, 60_000, 600],
    [0.5, 60_000, 30],
    [0.001, 60_000, 1],
    [10, 0, 0],
    [0, 60_000, 0],
    [-1, 60_000, 0],
    [Number.NaN, 60_000, 0],
  ])('%d per second for %d ms lets %d through', (perSecond, availableMs, expected) => {
    expect(allowedByRate(perSecond, availableMs)).toBe(expected);
  });

  it.each([
    [599, 'holds'],
    [600, 'rate'],
  ])('%d taken at 10/s for a minute: %s', (taken, expected) => {
    expect(guardOf(rate(taken, 10, 60_000))).toBe(expected);
  });

  it.each([
    [0, 3, 'holds'],
    [2, 3, 'holds'],
    [3, 3, 'lifetime-cap'],
    [4, 3, 'lifetime-cap'],
    [1_000_000, 3, 'lifetime-cap'],
  ])('%d replays under a lifetime cap of %d: %s', (replays, cap, expected) => {
    expect(guardOf(lifetimeCap(replays, cap))).toBe(expected);
  });
});

describe('age', () => {
  it.each([
    [899_999, 'min-age'],
    [900_000, 'holds'],
    [900_001, 'holds'],
    [0, 'min-age'],
    [-60_000, 'min-age'],
  ])('parked %d ms ago with a minimum of 15 minutes: %s', (ageMs, expected) => {
    expect(guardOf(minAge(ago(ageMs), NOW_MS, 900_000))).toBe(expected);
  });

  it.each([
    [72 * HOUR_MS - 1, 'holds'],
    [72 * HOUR_MS, 'holds'],
    [72 * HOUR_MS + 1, 'max-age'],
  ])('parked %d ms ago with a maximum of 3 days: %s', (ageMs, expected) => {
    expect(guardOf(maxAge(ago(ageMs), NOW_MS, 72 * HOUR_MS))).toBe(expected);
  });

  it('a date that is none is neither old nor young enough', () => {
    const broken = read(new Date('soon'));

    expect(guardOf(minAge(broken, NOW_MS, 0))).toBe('min-age');
    expect(guardOf(maxAge(broken, NOW_MS, HOUR_MS))).toBe('max-age');
  });
});

describe('class', () => {
  it('holds for the classes a flow lists and for no other', () => {
    expect(guardOf(failureClass('transient', ['transient', 'backpressure']))).toBe('holds');
    expect(guardOf(failureClass('invalid', ['transient', 'backpressure']))).toBe('class');
    expect(guardOf(failureClass('unknown', ['transient']))).toBe('class');
  });

  it('holds for none when the flow lists none', () => {
    expect(failureClass('transient', [])).toMatchObject({ guard: 'class' });
  });
});

describe('signature back-off', () => {
  const relapsed = (failures: number): SignatureRecord => ({ failures, lastFailedAtMs: NOW_MS });

  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 4],
    [5, 16],
    [6, 24],
    [1_000, 24],
  ])('after %d relapses a signature rests for %d hours', (failures, hours) => {
    const expected = failures === 0 ? 0 : NOW_MS + hours * HOUR_MS;

    expect(restsUntilMs(relapsed(failures))).toBe(expected);
  });

  it('refuses until the rest is over, to the millisecond', () => {
    const record = read(relapsed(1));

    expect(guardOf(signatureBackoff(record, NOW_MS + HOUR_MS - 1))).toBe('signature-backoff');
    expect(guardOf(signatureBackoff(record, NOW_MS + HOUR_MS))).toBe('holds');
  });

  it('holds for a signature that never failed again', () => {
    expect(signatureBackoff(read(undefined), NOW_MS)).toEqual({ holds: true });
  });
});

describe('origin', () => {
  it.each<[ParkedOrigin, string]>([
    [{ kind: 'ours' }, 'holds'],
    [{ kind: 'broker' }, 'holds'],
    [{ kind: 'spring', known: true, route: 'shop/order.placed' }, 'holds'],
    [{ kind: 'spring', known: false, route: 'other/key' }, 'origin'],
    [{ kind: 'elsewhere', route: 'invoices' }, 'origin'],
    [{ kind: 'unknown' }, 'origin'],
  ])('%j: %s', (from, expected) => {
    expect(guardOf(origin(from, []))).toBe(expected);
  });

  it.each<[ParkedOrigin, readonly string[], string]>([
    [{ kind: 'spring', known: false, route: 'other/key' }, ['other/key'], 'holds'],
    [{ kind: 'elsewhere', route: 'invoices' }, ['other/key', 'invoices'], 'holds'],
    [{ kind: 'unknown' }, ['unknown'], 'holds'],
    [{ kind: 'elsewhere', route: 'invoices' }, ['unknown'], 'origin'],
    [{ kind: 'unknown' }, ['invoices'], 'origin'],
  ])('%j, accepted from %j: %s', (from, acceptFrom, expected) => {
    expect(guardOf(origin(from, acceptFrom))).toBe(expected);
  });
});

describe('facts about a single message', () => {
  it('a message another run may have moved is left to a person', () => {
    expect(uncertain(read(undefined))).toEqual({ holds: true });
    expect(uncertain(read('run-7'))).toMatchObject({
      guard: 'uncertain',
      because: 'run run-7 may have moved it already',
    });
  });

  it('what the flow no longer wants is not replayed', () => {
    expect(guardOf(stillWanted(read(true)))).toBe('holds');
    expect(guardOf(stillWanted(read(false)))).toBe('still-wanted');
  });

  it('an answer of stillWanted that is no boolean is no yes', () => {
    expect(guardOf(stillWanted(read('yes' as unknown as boolean)))).toBe('still-wanted');
  });

  it.each<[WorkState, string]>([
    ['none', 'holds'],
    ['completed', 'holds'],
    ['in-progress', 'in-progress'],
  ])('work that is %s: %s', (state, expected) => {
    expect(guardOf(inProgress(read(state)))).toBe(expected);
  });
});

describe('a guard that can not be read does not hold', () => {
  const lost = <T>() => unreadable<T>('ThrottlingException');

  it.each<[string, () => GuardAnswer]>([
    ['kill-switch', () => killSwitch(lost(), 'manual')],
    ['alarms', () => alarms(lost(), ['payment-errors'])],
    ['work-depth', () => workDepth(lost(), 1_000)],
    ['hourly-budget', () => hourlyBudget(lost(), 0, 500)],
    ['min-age', () => minAge(lost(), NOW_MS, 0)],
    ['max-age', () => maxAge(lost(), NOW_MS, HOUR_MS)],
    ['signature-backoff', () => signatureBackoff(lost(), NOW_MS)],
    ['uncertain', () => uncertain(lost())],
    ['still-wanted', () => stillWanted(lost())],
    ['in-progress', () => inProgress(lost())],
  ])('%s', (guard, ask) => {
    expect(ask()).toEqual({ holds: false, guard, because: "can't be read: ThrottlingException" });
  });

  it('a reading keeps the reason of whatever went wrong', async () => {
    expect(await reading(() => 7)).toEqual({ kind: 'read', value: 7 });
    expect(await reading(() => Promise.reject(new Error('timeout')))).toEqual(
      unreadable('timeout'),
    );
    expect(
      await reading(() => {
        throw 'a text';
      }),
    ).toEqual(unreadable('a text'));
  });
});
