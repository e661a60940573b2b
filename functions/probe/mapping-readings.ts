import type { MappingState, MappingStates } from './mapping-states.ts';
import { PROBE_METRICS } from './probe-metrics.ts';

/**
 * How many of a flow's mappings don't read, and how many read but report a problem. With one of them
 * unknown, neither figure is known.
 */
export function mappingMetrics(
  states: readonly MappingState[] | undefined,
): Readonly<Record<string, number>> {
  if (states === undefined || states.length === 0) return {};
  const known = states.filter((state) => state.kind === 'known');
  if (known.length < states.length) return {};
  return {
    [PROBE_METRICS.mappingsNotEnabled]: known.filter((state) => !isEnabled(state)).length,
    [PROBE_METRICS.mappingProblems]: known.filter(hasProblem).length,
  };
}

/** A line for each mapping that doesn't work or could not be asked for: the alarm's reason, in words. */
export function mappingLines(states: MappingStates): readonly string[] {
  return Object.entries(states).flatMap(([flow, mappings]) =>
    mappings.flatMap((mapping) => {
      const { kind, id, ...rest } = mapping;
      if (kind === 'unknown') return line('mapping state unknown', flow, id, rest);
      if (!isEnabled(mapping)) return line('mapping not enabled', flow, id, rest);
      return hasProblem(mapping) ? line('mapping has a problem', flow, id, rest) : [];
    }),
  );
}

function line(message: string, flow: string, mapping: string, rest: object): string[] {
  return [JSON.stringify({ message, flow, mapping, ...rest })];
}

function isEnabled(state: MappingState): boolean {
  return state.kind === 'known' && state.state === 'Enabled';
}

function hasProblem(state: MappingState): boolean {
  return state.kind === 'known' && /^PROBLEM/i.test(state.lastResult ?? '');
}
