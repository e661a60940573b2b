import { seededRandom } from '../random.ts';
import { notificationsScenario } from './notifications.ts';
import { ordersScenario } from './orders.ts';
import type { FlowPlan, FlowScenario } from './types.ts';

/** Every flow the local run knows messages for. A flow of your own gets its line here. */
export const SCENARIOS: readonly FlowScenario[] = [ordersScenario, notificationsScenario];

export interface ScenarioOptions {
  readonly messages: number;
  readonly seed: number;
  readonly speed: number;
  readonly poison: boolean;
}

/**
 * Plans what is published: exactly `messages` in all, shared out among the flows, the same for the
 * same seed. Each flow has random numbers of its own, so a change to one leaves the others alone.
 */
export function planScenario(
  scenarios: readonly FlowScenario[],
  options: ScenarioOptions,
): ReadonlyMap<string, FlowPlan> {
  const plans = new Map<string, FlowPlan>();
  let sharesLeft = scenarios.reduce((sum, { share }) => sum + share, 0);
  let messagesLeft = options.messages;
  for (const [index, { flow, share, plan }] of scenarios.entries()) {
    const count = Math.round((messagesLeft * share) / sharesLeft);
    const random = seededRandom(options.seed * 1_000 + index);
    plans.set(flow, plan({ ...options, count, random }));
    messagesLeft -= count;
    sharesLeft -= share;
  }
  return plans;
}
