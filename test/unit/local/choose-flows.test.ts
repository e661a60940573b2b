import { describe, expect, it } from 'vitest';
import type { Flow } from '../../../functions/policy/types.ts';
import { chooseFlows } from '../../../infra/local/choose-flows.ts';
import { LocalRunError } from '../../../infra/local/errors.ts';
import type { FlowScenario } from '../../../infra/local/scenarios/types.ts';

const found = ['mine', 'notifications', 'orders'].map((name) => ({
  flow: { name, queue: name } as Flow,
  flowFile: `/flows/${name}/flow.ts`,
  handlerFile: `/flows/${name}/handler.ts`,
}));
const scenarios = ['orders', 'notifications'].map((flow) => ({ flow, share: 1 }) as FlowScenario);

const choose = (names: readonly string[], keep: boolean): readonly string[] =>
  chooseFlows(found, scenarios, { names, keep }).map(({ flow }) => flow.name);

describe('chooseFlows', () => {
  it('runs every flow that has a scenario when none is named', () => {
    expect(choose([], false)).toEqual(['orders', 'notifications']);
  });

  it('runs only those that are named', () => {
    expect(choose(['orders'], false)).toEqual(['orders']);
  });

  it('runs every flow there is when it stays up', () => {
    expect(choose([], true)).toEqual(['orders', 'notifications', 'mine']);
  });

  it('brings each flow’s scenario along', () => {
    const chosen = chooseFlows(found, scenarios, { names: [], keep: true });
    expect(chosen.map(({ scenario }) => scenario?.flow)).toEqual([
      'orders',
      'notifications',
      undefined,
    ]);
  });

  it('refuses a name it does not know and lists those there are', () => {
    expect(() => choose(['order'], false)).toThrow(LocalRunError);
    expect(() => choose(['order'], false)).toThrow(
      '--flow order: there is no such flow. There are: orders, notifications, mine.',
    );
  });

  it('refuses a flow without messages to send, unless it stays up for them', () => {
    expect(() => choose(['mine'], false)).toThrow(/no messages for mine\. Add --keep/);
    expect(choose(['mine'], true)).toEqual(['mine']);
  });
});
