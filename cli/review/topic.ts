import type { Flow } from '../../functions/policy/types.ts';
import type { Topology } from '../../functions/topology/types.ts';

/** One question a reviewer asks, answered from what the flow states and the topology that follows. */
export interface Topic {
  /** For programs; stays the same. */
  readonly id: string;
  readonly question: string;
  readonly answers: readonly string[];
  /** What the reviewer should decide knowingly: a risk this definition takes. */
  readonly attention: readonly string[];
  /** The figures and names behind the answers; times in milliseconds. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** What is reviewed: a flow, and the topology of that flow alone. */
export interface Reviewed {
  readonly flow: Flow;
  readonly topology: Topology;
}

/** `a`, `a and b`, `a, b and c`; `none` of nothing. */
export function listed(names: readonly string[]): string {
  if (names.length < 2) return names[0] ?? 'none';
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The lines whose condition holds. */
export function when(...lines: readonly (readonly [holds: boolean, line: string])[]): string[] {
  return lines.filter(([holds]) => holds).map(([, line]) => line);
}

/** Names of the classes that end in an action, in the order of tables. */
export function classesWith(flow: Flow, action: string): readonly string[] {
  return Object.entries(flow.verdicts)
    .filter(([, policy]) => policy.action === action)
    .map(([name]) => name);
}
