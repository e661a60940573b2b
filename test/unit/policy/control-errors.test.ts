import { describe, expect, it } from 'vitest';
import {
  CONTROL,
  controlMarkOf,
  Discard,
  InvalidControlError,
  isFailureClass,
  Park,
  RetryLater,
} from '../../../functions/policy/control-errors.ts';
import { FAILURE_CLASSES } from '../../../functions/policy/types.ts';

describe('RetryLater', () => {
  it.each([
    ['30s', 30_000],
    ['5m', 300_000],
    ['1500ms', 1_500],
    ['1h', 3_600_000],
    [90_000, 90_000],
    [0, 0],
  ])('after %s waits %i ms', (after, afterMs) => {
    expect(controlMarkOf(new RetryLater({ after }))).toEqual({ kind: 'retry', afterMs });
  });

  it('without a wait leaves it to the schedule', () => {
    expect(controlMarkOf(new RetryLater())).toEqual({ kind: 'retry' });
    expect(controlMarkOf(new RetryLater({}))).toEqual({ kind: 'retry' });
  });

  it('is an Error with a name, a code, a message and its cause', () => {
    const cause = new Error('busy');
    const error = new RetryLater({ after: '5m', cause });

    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'RetryLater', code: 'LAYOVER_RETRY_LATER', cause });
    expect(error.message).toBe('asked to be retried after 5m');
    expect(new RetryLater({ message: 'the bank sleeps' }).message).toBe('the bank sleeps');
  });

  it('has no cause of its own when none was given', () => {
    expect('cause' in new RetryLater({ after: '5m' })).toBe(false);
  });

  it.each([
    ['5 minutes', "'5 minutes'"],
    ['', "''"],
    ['-5m', "'-5m'"],
    [Number.NaN, 'NaN'],
    [-1, '-1'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [null, 'null'],
    [{}, 'object'],
  ])('refuses after %s, naming the value and the way out', (after, shown) => {
    const build = () => new RetryLater({ after: after as string });

    expect(build).toThrow(InvalidControlError);
    expect(build).toThrow(`RetryLater: after ${shown} is no duration`);
    expect(build).toThrow("use text such as '30s', '5m' or '1h', or milliseconds");
  });

  it('refused, keeps the cause it was given, so that nothing is lost', () => {
    const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    const build = () => new RetryLater({ after: 'soon', cause });

    expect(build).toThrow(expect.objectContaining({ code: 'LAYOVER_INVALID_CONTROL', cause }));
  });
});

describe('Park', () => {
  it('carries reason, class and cause', () => {
    const cause = new Error('404');
    const error = new Park('account closed', { class: 'stale', cause });

    expect(error).toMatchObject({
      name: 'Park',
      code: 'LAYOVER_PARK',
      message: 'account closed',
      cause,
    });
    expect(controlMarkOf(error)).toEqual({ kind: 'park', class: 'stale' });
  });

  it('needs no class', () => {
    expect(controlMarkOf(new Park('account closed'))).toEqual({ kind: 'park' });
  });

  it('refuses a class nobody knows, naming the known ones and keeping the cause', () => {
    const cause = new Error('why');
    const build = () => new Park('x', { class: 'permanent' as never, cause });

    expect(build).toThrow(expect.objectContaining({ name: 'InvalidControlError', cause }));
    expect(build).toThrow(`class 'permanent' is unknown; use one of ${FAILURE_CLASSES.join(', ')}`);
  });
});

describe('Discard', () => {
  it('carries a reason and a cause', () => {
    const cause = new Error('cancelled upstream');
    const error = new Discard('no longer wanted', { cause });

    expect(error).toMatchObject({
      name: 'Discard',
      code: 'LAYOVER_DISCARD',
      message: 'no longer wanted',
      cause,
    });
    expect(controlMarkOf(error)).toEqual({ kind: 'discard' });
  });
});

describe('a control error is recognised', () => {
  it('by its registered symbol, so that a second copy of the code is the same', () => {
    const copy = Object.assign(new Error('later'), {
      [Symbol.for('layover.control')]: { kind: 'retry', afterMs: 5_000 },
    });

    expect(controlMarkOf(copy)).toEqual({ kind: 'retry', afterMs: 5_000 });
  });

  it('under a minified name', () => {
    const error = new Park('x');
    Object.defineProperty(error, 'name', { value: 'a' });

    expect(controlMarkOf(error)).toEqual({ kind: 'park' });
  });

  it.each([
    [{ name: 'RetryLater', code: 'LAYOVER_RETRY_LATER', message: 'x' }, { kind: 'retry' }],
    [
      { name: 'RetryLater', after: '5m' },
      { kind: 'retry', afterMs: 300_000 },
    ],
    [
      { name: 'RetryLater', afterMs: 20 },
      { kind: 'retry', afterMs: 20 },
    ],
    [
      { name: 'Park', message: 'x', class: 'stale' },
      { kind: 'park', class: 'stale' },
    ],
    [{ name: 'Park', message: 'x', class: 'nonsense' }, { kind: 'park' }],
    [{ name: 'Discard', code: 'LAYOVER_DISCARD' }, { kind: 'discard' }],
  ])('described as JSON: %j', (described, mark) => {
    expect(controlMarkOf(described)).toEqual(mark);
  });

  it.each([
    [
      'a Discard that is only called so: guessing would lose a message',
      { name: 'Discard', message: 'x' },
    ],
    ['a RetryLater of somebody else', { name: 'RetryLater', message: 'x' }],
    ['a Park with a code of its own', { name: 'Park', code: 'E_NO_SPACE' }],
    ['a plain Error', new Error('x')],
    ['a text', 'Park'],
    ['null', null],
    ['a mark of an unknown kind', { [CONTROL]: { kind: 'explode' } }],
  ])('but not %s', (_title, thrown) => {
    expect(controlMarkOf(thrown)).toBeUndefined();
  });

  it('with a mark whose wait is unreadable, leaving the wait to the schedule', () => {
    expect(controlMarkOf({ [CONTROL]: { kind: 'retry', afterMs: Number.NaN } })).toEqual({
      kind: 'retry',
    });
  });

  it('and its mark shows in no log and can’t be changed', () => {
    const error = new Park('x');

    expect(Object.keys(error)).not.toContain(String(CONTROL));
    expect(JSON.stringify(error)).not.toContain('kind');
    expect(Object.isFrozen(error[CONTROL])).toBe(true);
  });
});

it('the failure classes are known, and nothing else is', () => {
  expect(FAILURE_CLASSES.every(isFailureClass)).toBe(true);
  expect([undefined, null, '', 'Transient', 3].some(isFailureClass)).toBe(false);
});
