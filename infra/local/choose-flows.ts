import type { DiscoveredFlow } from '../discover-flows.ts';
import { LocalRunError } from './errors.ts';
import type { FlowScenario } from './scenarios/types.ts';

export interface ChosenFlow extends DiscoveredFlow {
  /** Absent: the local run knows no messages for the flow, and it waits for yours. */
  readonly scenario?: FlowScenario;
}

export interface ChoiceOptions {
  /** Names asked for; empty for all. */
  readonly names: readonly string[];
  /** True when the run stays up, so that a flow without a scenario makes sense. */
  readonly keep: boolean;
}

/**
 * Chooses what runs: the flows asked for, or every flow that has a scenario, or, when the run stays
 * up, every flow there is.
 */
export function chooseFlows(
  found: readonly DiscoveredFlow[],
  scenarios: readonly FlowScenario[],
  { names, keep }: ChoiceOptions,
): readonly ChosenFlow[] {
  const all = found.map((discovered): ChosenFlow => {
    const scenario = scenarios.find(({ flow }) => flow === discovered.flow.name);
    return scenario === undefined ? discovered : { ...discovered, scenario };
  });
  // The scenarios' order is the order people read in: the main flow first.
  const rank = ({ scenario }: ChosenFlow): number =>
    scenario === undefined ? scenarios.length : scenarios.indexOf(scenario);
  all.sort((a, b) => rank(a) - rank(b));
  const known = all.map(({ flow }) => flow.name).join(', ');
  for (const name of names) {
    if (all.some(({ flow }) => flow.name === name)) continue;
    throw new LocalRunError(
      'UNKNOWN_FLOW',
      `--flow ${name}: there is no such flow. There are: ${known}.`,
    );
  }
  const chosen = all.filter(({ flow }) => names.length === 0 || names.includes(flow.name));
  if (keep) return chosen;
  const without = chosen.filter(({ scenario }) => scenario === undefined);
  if (without.length > 0 && (names.length > 0 || without.length === chosen.length)) {
    const list = without.map(({ flow }) => flow.name).join(', ');
    throw new LocalRunError(
      'NO_SCENARIO',
      `The local run has no messages for ${list}. Add --keep to stay up and send your own, or add a scenario in infra/local/scenarios/.`,
    );
  }
  return chosen.filter(({ scenario }) => scenario !== undefined);
}
