import { describe, expect, it } from 'vitest';
import { between, pick, seededRandom, shuffled } from '../../../infra/local/random.ts';

const draw = (seed: number, times = 5) => Array.from({ length: times }, seededRandom(seed));

describe('seededRandom', () => {
  it('gives the same numbers for the same seed, and others for another', () => {
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it('stays in [0, 1) and is spread evenly', () => {
    const values = draw(1, 10_000);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...values)).toBeLessThan(1);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean).toBeGreaterThan(0.48);
    expect(mean).toBeLessThan(0.52);
  });
});

describe('what is made of it', () => {
  it('between includes both ends', () => {
    const random = seededRandom(3);
    const values = new Set(Array.from({ length: 200 }, () => between(random, 1, 3)));
    expect([...values].sort()).toEqual([1, 2, 3]);
  });

  it('shuffled keeps every value, in another order', () => {
    const values = Array.from({ length: 50 }, (_, index) => index);
    const result = shuffled(seededRandom(1), values);
    expect(result).not.toEqual(values);
    expect(result.toSorted((a, b) => a - b)).toEqual(values);
  });

  it('pick refuses an empty list', () => {
    expect(() => pick(seededRandom(1), [])).toThrow(RangeError);
  });
});
