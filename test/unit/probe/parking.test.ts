import { describe, expect, it } from 'vitest';
import type { QueueFigures } from '../../../functions/probe/figures.ts';
import type { ParkingMemory } from '../../../functions/probe/memory.ts';
import { type ParkingReading, readParking } from '../../../functions/probe/parking.ts';

const MINUTE_MS = 60_000;
const T0 = Date.UTC(2026, 4, 1, 3, 0, 0);

const figures = (messages: number, published: number, acknowledged = 0): QueueFigures => ({
  messages,
  published,
  acknowledged,
});

/** Runs the probe once a minute over the figures. */
function minutes(...looks: readonly (QueueFigures | undefined)[]): ParkingReading[] {
  let memory: ParkingMemory | undefined;
  let lastRunMs: number | undefined;
  return looks.map((look, i) => {
    const nowMs = T0 + i * MINUTE_MS;
    const reading = readParking(look, memory, nowMs, lastRunMs);
    memory = reading.memory;
    lastRunMs = nowMs;
    return reading;
  });
}

describe('depth', () => {
  it('is the total', () => {
    expect(minutes(figures(3, 3))[0]?.depth).toBe(3);
  });

  it('is unknown when the queue is not in the listing or its total is not', () => {
    expect(minutes(undefined)[0]).toEqual({});
    expect(readParking({ published: 1, acknowledged: 0 }, undefined, T0, undefined)).toEqual({});
  });
});

describe('age', () => {
  it('is 0 while the queue is empty', () => {
    expect(minutes(figures(0, 0), figures(0, 0)).map(({ ageSeconds }) => ageSeconds)).toEqual([
      0, 0,
    ]);
  });

  it('counts from the last minute the queue was seen empty, so that it is never too small', () => {
    const ages = minutes(figures(0, 0), figures(1, 1), figures(2, 2)).map((r) => r.ageSeconds);
    expect(ages).toEqual([0, 60, 120]);
  });

  it('starts again once the queue was empty', () => {
    const ages = minutes(figures(0, 0), figures(2, 2), figures(0, 2, 2), figures(1, 3, 2)).map(
      (r) => r.ageSeconds,
    );
    expect(ages).toEqual([0, 60, 0, 60]);
  });

  it('goes on over a run that saw nothing', () => {
    const ages = minutes(figures(0, 0), figures(1, 1), undefined, figures(1, 1)).map(
      (r) => r.ageSeconds,
    );
    expect(ages).toEqual([0, 60, undefined, 180]);
  });

  it('counts from now for a queue that was full before the first run', () => {
    expect(minutes(figures(5, 5), figures(5, 5)).map((r) => r.ageSeconds)).toEqual([0, 60]);
  });
});

describe('dead letters', () => {
  const counted = (...looks: QueueFigures[]) => minutes(...looks).map((r) => r.deadLettered);

  it('are none when everything was published by a client', () => {
    expect(counted(figures(0, 0), figures(3, 3), figures(5, 5), figures(5, 5))).toEqual([
      0, 0, 0, 0,
    ]);
  });

  it('are arrivals that nobody published, once two runs agree', () => {
    expect(counted(figures(5, 5), figures(8, 5), figures(8, 5), figures(8, 5))).toEqual([
      0, 0, 3, 0,
    ]);
  });

  it('are not made up by figures that are some seconds apart', () => {
    // The depth is ahead of the counter for one run, then behind.
    expect(counted(figures(0, 0), figures(50, 20), figures(50, 50), figures(60, 70))).toEqual([
      0, 0, 0, 0,
    ]);
  });

  it('are not made up by replay, which acknowledges what it took', () => {
    expect(counted(figures(4, 4), figures(1, 4, 3), figures(0, 4, 4))).toEqual([0, 0, 0]);
  });

  it('are counted while replay empties the queue', () => {
    expect(counted(figures(4, 4), figures(3, 4, 3), figures(2, 4, 4))).toEqual([0, 0, 2]);
  });

  it('are not made up by a restart, after which the broker counts from 0', () => {
    expect(counted(figures(9, 12, 3), figures(9, 0, 0), figures(9, 0, 0), figures(10, 1))).toEqual([
      0, 0, 0, 0,
    ]);
  });

  it('after a restart are noticed again', () => {
    expect(counted(figures(9, 9), figures(9, 0), figures(11, 0), figures(11, 0))).toEqual([
      0, 0, 0, 2,
    ]);
  });
});
