import { describe, expect, it } from 'vitest';
import { suggest } from '../../../functions/policy/suggest.ts';

const KEYS = ['delays', 'maxAttempts', 'maxElapsed', 'maxRetryAfter', 'jitter'];

describe('suggest', () => {
  it.each([
    ['delay', 'delays'],
    ['maxAtempts', 'maxAttempts'],
    ['maxAttemtps', 'maxAttempts'],
    ['MAXELAPSED', 'maxElapsed'],
    ['maxRetry', 'maxRetryAfter'],
    ['jiter', 'jitter'],
    ['maxAttemptsPerMessage', 'maxAttempts'],
  ])('takes %s for %s', (word, meant) => {
    expect(suggest(word, KEYS)).toBe(meant);
  });

  it.each(['owner', 'j', '', 'x-max-length', 'd'.repeat(41)])('has no idea about %s', (word) => {
    expect(suggest(word, KEYS)).toBeUndefined();
  });

  it('prefers the nearest when several are near', () => {
    expect(suggest('parked', ['park', 'parked-at', 'parker'])).toBe('parker');
  });

  it('is not held up by a very long word', () => {
    expect(suggest('maxAttempts'.repeat(100_000), KEYS)).toBeUndefined();
  });
});
