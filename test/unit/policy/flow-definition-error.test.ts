import { describe, expect, it } from 'vitest';
import {
  FlowDefinitionError,
  Problems,
  showValue,
} from '../../../functions/policy/flow-definition-error.ts';

describe('FlowDefinitionError', () => {
  it('lists every problem on a line of its own, and carries them as data', () => {
    const problems = new Problems();
    problems.add('batch.size', 0, 'expected a whole number from 1 to 10000, got {got}');
    problems.add('owner', undefined, 'missing; give the team an alarm is for');

    const error = new FlowDefinitionError("flow 'orders'", problems.list);

    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'FlowDefinitionError', code: 'FLOW_DEFINITION' });
    expect(error.message).toBe(
      [
        "flow 'orders' is not usable, 2 problems:",
        '- batch.size: expected a whole number from 1 to 10000, got 0',
        '- owner: missing; give the team an alarm is for',
      ].join('\n'),
    );
    expect(error.problems).toEqual([
      {
        field: 'batch.size',
        value: '0',
        message: 'expected a whole number from 1 to 10000, got 0',
      },
      {
        field: 'owner',
        value: 'undefined',
        message: 'missing; give the team an alarm is for',
      },
    ]);
  });

  it('leaves the field out when the definition itself is wrong', () => {
    const problems = new Problems();
    problems.add('', null, 'expected an object, got {got}');

    expect(new FlowDefinitionError('a flow', problems.list).message).toBe(
      'a flow is not usable, 1 problem:\n- expected an object, got null',
    );
  });

  it('puts a value in as it is, even when it looks like a replacement pattern', () => {
    const problems = new Problems();
    problems.add('queue', '$& $1 {got}', 'got {got}');

    expect(problems.list[0]?.message).toBe("got '$& $1 {got}'");
  });
});

describe('Problems.clean', () => {
  const problems = new Problems();
  problems.add('schedule.delays[1]', 'x', 'no');
  problems.add('batch.size', 0, 'no');

  it.each([
    ['schedule', false],
    ['schedule.delays', false],
    ['schedule.delays[1]', false],
    ['schedule.delay', true],
    ['batch', false],
    ['bat', true],
    ['schedule.maxAttempts', true],
  ])('says of %s: %s', (field, clean) => {
    expect(problems.clean(field)).toBe(clean);
  });
});

describe('showValue', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;

  it.each([
    ['text', "'text'"],
    [42, '42'],
    [Number.NaN, 'NaN'],
    [9n, '9n'],
    [null, 'null'],
    [undefined, 'undefined'],
    [true, 'true'],
    [Symbol('s'), 'Symbol(s)'],
    [() => 1, 'a function'],
    [['10s'], '["10s"]'],
    [{ a: 1 }, '{"a":1}'],
    [/x/gi, '/x/gi'],
    [cyclic, 'an object'],
    [{ big: 1n }, 'an object'],
    [{ toJSON: () => undefined }, 'an object'],
    ['y'.repeat(200), `'${'y'.repeat(78)}…`],
  ])('shows %o as text', (value, text) => {
    expect(showValue(value)).toBe(text);
  });
});
