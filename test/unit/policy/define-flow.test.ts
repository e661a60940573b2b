import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { defineFlow } from '../../../functions/policy/define-flow.ts';
import { FlowDefinitionError } from '../../../functions/policy/flow-definition-error.ts';
import type { Flow } from '../../../functions/policy/types.ts';
import { complaintsOf, givenFlow, LEAST, problemsThrownBy } from './given-flow.ts';

describe('defineFlow', () => {
  it('needs a name, an owner, a runbook and an impact, and fills in the rest', () => {
    const flow = defineFlow(LEAST);

    expect(flow).toMatchObject({
      ...LEAST,
      queue: 'orders',
      queueMode: 'declare',
      bindings: [],
      critical: false,
      rules: [],
      idempotency: { enabled: true },
      sensitive: [],
      batch: { size: 100, windowMs: 500 },
      parallelism: 10,
      handlerTimeoutMs: 30_000,
      lambda: { memoryMiB: 512, timeoutMs: 300_000 },
      parking: { maxAgeMs: 86_400_000 },
    });
    expect(flow).not.toHaveProperty('payload');
    expect(flow).not.toHaveProperty('labels');
  });

  it('treats a field that is undefined as absent', () => {
    const written = { ...LEAST, queue: undefined, schedule: undefined, critical: undefined };

    expect(defineFlow(written as never)).toEqual(defineFlow(LEAST));
  });

  it('reports everything that is wrong at once, with field, value and way out', () => {
    const act = () =>
      defineFlow({
        name: 'orders',
        queue: 'é'.repeat(120),
        owner: ' ',
        runbook: 'docs/runbooks/orders.md',
        schedule: { delays: ['10s', '30000'], maxAtempts: 3 },
        verdicts: { duplicate: 'retry' },
        batch: { size: 0 },
        lambda: { timeout: '15m' },
      } as never);

    expect(act).toThrow(FlowDefinitionError);
    expect(act).toThrow("flow 'orders' is not usable, 8 problems:\n- ");
    const problems = problemsThrownBy(act);
    expect(problems.map(({ field, value }) => [field, value])).toEqual([
      ['schedule.maxAtempts', '3'],
      ['schedule.delays[1]', "'30000'"],
      ['queue', expect.stringContaining("'ééé")],
      ['owner', "' '"],
      ['impact', 'undefined'],
      ['verdicts.duplicate', "'retry'"],
      ['batch.size', '0'],
      ['lambda.timeout', "'15m'"],
    ]);
    for (const { message } of problems) expect(message).toMatch(/expected|missing|;/);
  });

  it.each([[undefined], [null], ['orders'], [7], [[]], [() => ({})]])(
    'refuses %o as a definition with one problem, not with one for each field',
    (definition) => {
      const act = () => defineFlow(definition as never);

      expect(act).toThrow(FlowDefinitionError);
      expect(problemsThrownBy(act)).toHaveLength(1);
      expect(act).toThrow(
        'a flow is not usable, 1 problem:\n- expected an object with name, queue',
      );
    },
  );

  it('freezes what it returns, down to the last list', () => {
    const flow = givenFlow({ bindings: [{ exchange: 'shop', type: 'fanout' }] });

    for (const part of [
      flow,
      flow.schedule,
      flow.schedule.delaysMs,
      flow.verdicts.unknown,
      flow.bindings,
      flow.bindings[0],
      flow.replay.automatic,
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('does not keep the lists it was given', () => {
    const sensitive = ['iban'];
    const flow = givenFlow({ sensitive });

    sensitive.push('pin');

    expect(flow.sensitive).toEqual(['iban']);
  });

  it('does not take fields from a prototype', () => {
    const definition = Object.assign(Object.create({ critical: true, queue: 'stolen' }), LEAST);

    expect(defineFlow(definition)).toMatchObject({ critical: false, queue: 'orders' });
  });

  it.each(['constructor', 'toString', 'hasOwnProperty'])('refuses the key %s', (key) => {
    expect(complaintsOf({ [key]: 1 })).toEqual([
      expect.stringContaining(`${key}: unknown key; known are name, queue`),
    ]);
  });

  it('refuses a key named __proto__ like any other unknown key', () => {
    expect(complaintsOf({ batch: JSON.parse('{"__proto__":{"size":1}}') })).toEqual([
      'batch.__proto__: unknown key; known are size, window',
    ]);
  });
});

describe('texts for alarms', () => {
  it.each(['owner', 'runbook', 'impact'])('%s is required', (key) => {
    expect(complaintsOf({ [key]: undefined })).toEqual([
      expect.stringContaining(`${key}: missing; give `),
    ]);
  });

  it('impact may be 300 characters long', () => {
    expect(complaintsOf({ impact: 'x'.repeat(300) })).toEqual([]);
  });

  it.each([
    ['', "got ''"],
    ['   ', "got '   '"],
    ['two\nlines', 'on one line'],
    [7, 'got 7'],
    ['x'.repeat(301), 'is 301 characters long; shorten it to 300, it goes into alarms'],
  ])('impact may not be %o', (impact, text) => {
    expect(complaintsOf({ impact })).toEqual([expect.stringContaining(text)]);
  });
});

describe('unknown keys', () => {
  it.each([
    ['delays', "did you mean 'schedule.delays'?"],
    ['maxAttempts', "did you mean 'schedule.maxAttempts'?"],
    ['window', "did you mean 'batch.window'?"],
    ['timeout', "did you mean 'lambda.timeout'?"],
    ['memory', 'did you mean lambda.memoryMiB?'],
    ['critcal', "did you mean 'critical'?"],
    ['bindngs', "did you mean 'bindings'?"],
    ['retries', 'did you mean schedule.maxAttempts (which counts the first run too)?'],
    ['backoff', 'did you mean schedule.delays, for example exponential('],
    ['concurrency', 'did you mean parallelism?'],
    ['schema', 'did you mean payload?'],
    ['prefetch', 'did you mean batch.size?'],
    ['colour', 'known are name, queue, queueMode, bindings, owner'],
  ])('%s is refused with a hint', (key, hint) => {
    expect(complaintsOf({ [key]: 1 })).toEqual([
      expect.stringContaining(`${key}: unknown key; ${hint}`),
    ]);
  });

  it('point one level up when they belong to the flow', () => {
    expect(complaintsOf({ lambda: { parallelism: 3 } })).toEqual([
      "lambda.parallelism: unknown key; 'parallelism' belongs one level up, in the flow",
    ]);
  });
});

describe('payload', () => {
  it('is any Standard Schema, and types the flow', () => {
    const schema = z.object({ id: z.string(), total: z.coerce.number() });

    const flow = defineFlow({ ...LEAST, payload: schema });

    expect(flow.payload).toBe(schema);
    expect(Object.isFrozen(schema)).toBe(false);
    expectTypeOf(flow).toEqualTypeOf<Flow<{ id: string; total: number }>>();
  });

  it('may be a function that carries a Standard Schema', () => {
    const validate = () => ({ value: 1 });
    const schema = Object.assign(() => 1, { '~standard': { version: 1, vendor: 'own', validate } });

    expect(givenFlow({ payload: schema as never }).payload).toBe(schema);
  });

  it.each([[{}], [null], [(x: unknown) => x], [{ '~standard': { version: 2 } }], ['order.json']])(
    'is not %o',
    (payload) => {
      expect(complaintsOf({ payload })).toEqual([
        expect.stringContaining('payload: expected a Standard Schema (zod, valibot, arktype'),
      ]);
    },
  );
});

describe('idempotency', () => {
  it('is on by message id unless the flow says otherwise', () => {
    const key = () => 'k';

    expect(givenFlow({ idempotency: true }).idempotency).toEqual({ enabled: true });
    expect(givenFlow({ idempotency: false }).idempotency).toEqual({ enabled: false });
    expect(givenFlow({ idempotency: { key } }).idempotency).toEqual({ enabled: true, key });
  });

  it.each([
    ['off', "idempotency: expected true, false or { key: (message) => text }, got 'off'"],
    [null, 'idempotency: expected true, false'],
    [{}, 'idempotency.key: missing; give (message) => text, or write true'],
    [{ key: 'orderId' }, "idempotency.key: expected a function, (message) => text, got 'orderId'"],
    [{ key: () => 'k', ttl: 5 }, 'idempotency.ttl: unknown key'],
  ])('may not be %o', (idempotency, complaint) => {
    expect(complaintsOf({ idempotency })).toEqual([expect.stringContaining(complaint)]);
  });
});

describe('batch and parallelism', () => {
  it.each(['500ms', '0s', '1s', '300s', '5m'] as const)('the window may be %s', (window) => {
    expect(complaintsOf({ batch: { window } })).toEqual([]);
  });

  it.each([
    [{ window: '1500ms' }, "batch.window: Lambda takes '500ms' or whole seconds"],
    [{ window: '250ms' }, "batch.window: Lambda takes '500ms' or whole seconds"],
    [{ window: '301s' }, "batch.window: expected at most '5m', got '301s'"],
    [{ window: 1 }, 'batch.window: expected a duration'],
    [{ size: 10_001 }, 'batch.size: expected a whole number from 1 to 10000, got 10001'],
    [{ size: '100' }, "batch.size: expected a whole number from 1 to 10000, got '100'"],
  ])('refuses the batch %o', (batch, complaint) => {
    expect(complaintsOf({ batch })).toEqual([expect.stringContaining(complaint)]);
  });

  it('takes a size of 1 to 10000', () => {
    expect(givenFlow({ batch: { size: 1 } }).batch.size).toBe(1);
    expect(givenFlow({ batch: { size: 10_000 } }).batch.size).toBe(10_000);
  });

  it.each([[0], [1_001], [1.5], ['ten']])('refuses a parallelism of %o', (parallelism) => {
    expect(complaintsOf({ parallelism })).toEqual([
      expect.stringContaining('parallelism: expected a whole number from 1 to 1000'),
    ]);
  });
});

describe('timeouts', () => {
  it('leave room to settle: a short Lambda timeout shortens the default handler timeout', () => {
    expect(givenFlow({ lambda: { timeout: '20s' } }).handlerTimeoutMs).toBe(15_000);
    expect(givenFlow({ lambda: { timeout: '14m' } }).handlerTimeoutMs).toBe(30_000);
  });

  it('may come as near as five seconds to the end', () => {
    const lambda = { timeout: '60s' };

    expect(complaintsOf({ lambda, handlerTimeout: '55s' })).toEqual([]);
    expect(complaintsOf({ lambda, handlerTimeout: '56s' })).toEqual([
      "handlerTimeout: '56s' leaves no room to settle before the Lambda's own timeout of '1m'; use at most '55s', or raise lambda.timeout",
    ]);
  });

  it.each([
    [{ lambda: { timeout: '15m' } }, "lambda.timeout: expected at most '14m', got '15m'"],
    [{ lambda: { timeout: '9s' } }, "lambda.timeout: expected '10s' or more, got '9s'"],
    [{ lambda: { timeout: '10500ms' } }, 'lambda.timeout: Lambda counts whole seconds'],
    [{ lambda: { memoryMiB: 64 } }, 'lambda.memoryMiB: expected a whole number from 128 to 10240'],
    [{ lambda: { memory: 64 } }, "lambda.memory: unknown key; did you mean 'memoryMiB'?"],
    [{ handlerTimeout: '10ms' }, "handlerTimeout: expected '100ms' or more, got '10ms'"],
    [{ handlerTimeout: '20m' }, "handlerTimeout: expected at most '14m', got '20m'"],
    [{ parking: { maxAge: '30s' } }, "parking.maxAge: expected '1m' or more, got '30s'"],
  ])('refuse %o', (definition, complaint) => {
    expect(complaintsOf(definition)).toEqual([expect.stringContaining(complaint)]);
  });
});

describe('labels, sensitive names and flags', () => {
  it('are taken as they are', () => {
    const labels = () => ({ tenant: 'a' });
    const flow = givenFlow({ labels, sensitive: ['iban', 'pin'], critical: true });

    expect(flow).toMatchObject({ labels, sensitive: ['iban', 'pin'], critical: true });
  });

  it.each([
    [{ labels: ['tenant'] }, 'labels: expected a function, (message) => ({ … }), got ["tenant"]'],
    [{ sensitive: 'iban' }, "sensitive: expected a list of names, got 'iban'"],
    [{ sensitive: ['iban', 'iban'] }, "sensitive[1]: 'iban' is listed twice; remove one"],
    [{ sensitive: [''] }, "sensitive[0]: expected a text that is not empty, got ''"],
    [{ critical: 'yes' }, "critical: expected true or false, got 'yes'"],
  ])('refuse %o', (definition, complaint) => {
    expect(complaintsOf(definition)).toEqual([complaint]);
  });
});
