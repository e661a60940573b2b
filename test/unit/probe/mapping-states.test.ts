import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readMappingStates } from '../../../functions/probe/mapping-states.ts';
import { LambdaService, type MappingAnswer } from '../../helpers/lambda-service.ts';

const enabled: MappingAnswer = { State: 'Enabled', LastProcessingResult: 'OK' };
let lambda: LambdaService;

beforeAll(async () => {
  lambda = await LambdaService.start(() => enabled);
  for (const [name, value] of Object.entries(lambda.env)) vi.stubEnv(name, value);
});
beforeEach(() => {
  lambda.answer = () => enabled;
  lambda.reads.length = 0;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await lambda.close();
});

const read = (ids: readonly string[], timeoutMs = 10_000) =>
  readMappingStates({ orders: ids }, { timeoutMs });

describe('the states of mappings', () => {
  it('are asked for one after the other and told per flow', async () => {
    const states = await readMappingStates(
      { orders: ['a', 'b'], mails: ['c'] },
      { timeoutMs: 10_000 },
    );
    const known = (id: string) => ({ kind: 'known', id, state: 'Enabled', lastResult: 'OK' });
    expect(states).toEqual({ orders: [known('a'), known('b')], mails: [known('c')] });
    expect(lambda.reads).toEqual(['a', 'b', 'c']);
  });

  it('carry what Lambda says of a mapping that is off', async () => {
    lambda.answer = () => ({
      State: 'Disabled',
      LastProcessingResult: 'PROBLEM: Function call failed',
      StateTransitionReason: 'USER_INITIATED',
    });
    expect(await read(['a'])).toEqual({
      orders: [
        {
          kind: 'known',
          id: 'a',
          state: 'Disabled',
          lastResult: 'PROBLEM: Function call failed',
          reason: 'USER_INITIATED',
        },
      ],
    });
  });

  it('are known to be gone when Lambda has no such mapping', async () => {
    lambda.answer = (id) =>
      id === 'a' ? { status: 404, error: 'ResourceNotFoundException' } : enabled;
    const { orders } = await read(['a', 'b']);
    expect(orders).toMatchObject([
      { kind: 'known', state: 'Deleted' },
      { kind: 'known', state: 'Enabled' },
    ]);
  });

  it('are unknown when asking is not allowed, and the others are read all the same', async () => {
    lambda.answer = (id) =>
      id === 'a' ? { status: 403, error: 'AccessDeniedException' } : enabled;
    const { orders } = await read(['a', 'b']);
    expect(orders).toEqual([
      { kind: 'unknown', id: 'a', why: 'AccessDeniedException: AccessDeniedException for a' },
      expect.objectContaining({ kind: 'known', id: 'b' }),
    ]);
  });

  it('are asked for once more when throttled, and then unknown', async () => {
    lambda.answer = () => ({ status: 429, error: 'TooManyRequestsException' });
    const { orders } = await read(['a']);
    expect(orders).toMatchObject([
      { kind: 'unknown', why: expect.stringContaining('TooManyRequests') },
    ]);
    expect(lambda.reads).toEqual(['a', 'a']);
  });

  it('are unknown when an answer says nothing of a state', async () => {
    lambda.answer = () => ({});
    expect(await read(['a'])).toEqual({
      orders: [{ kind: 'unknown', id: 'a', why: 'The answer has no state.' }],
    });
  });

  it('are unknown when Lambda is silent, all of them within the patience for all', async () => {
    lambda.answer = () => 'silence';
    const startedMs = performance.now();
    const { orders } = await read(['a', 'b', 'c'], 300);
    expect(performance.now() - startedMs).toBeLessThan(2_900);
    expect(orders).toHaveLength(3);
    for (const state of orders ?? []) expect(state.kind).toBe('unknown');
    expect(lambda.reads).toEqual(['a']);
  });
});
