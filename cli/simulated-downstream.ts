import type { Downstream } from '../infra/local/downstream/downstream.ts';
import { seededRandom } from '../infra/local/random.ts';
import { SCENARIOS } from '../infra/local/scenarios/scenarios.ts';
import type { FlowScenario } from '../infra/local/scenarios/types.ts';

export interface SimulatedDownstream {
  readonly variable: string;
  readonly downstream: Downstream;
}

/**
 * What the handler of an example flow calls, on a good day: everything is accepted. Undefined when the
 * local run knows no downstream for the flow, or the environment names one.
 */
export async function simulatedDownstream(
  flow: string,
  env: Readonly<Record<string, string | undefined>>,
  scenarios: readonly FlowScenario[] = SCENARIOS,
): Promise<SimulatedDownstream | undefined> {
  const scenario = scenarios.find((each) => each.flow === flow);
  if (scenario === undefined) return undefined;
  const none = { count: 0, seed: 0, random: seededRandom(0), speed: 1, poison: false };
  const { urlVariable, startDownstream } = scenario.plan(none);
  if (env[urlVariable]) return undefined;
  return { variable: urlVariable, downstream: await startDownstream() };
}
