import { defineFlow } from '../../../functions/policy/define-flow.ts';
import type { FlowDefinition } from '../../../functions/policy/flow-definition.ts';
import {
  FlowDefinitionError,
  type FlowProblem,
} from '../../../functions/policy/flow-definition-error.ts';
import type { Flow } from '../../../functions/policy/types.ts';

/** The least a flow must say. */
export const LEAST: FlowDefinition = {
  name: 'orders',
  owner: 'shop team',
  runbook: 'https://wiki.example/orders',
  impact: 'Customers pay and get no confirmation.',
};

/** A valid flow, with what the test is about. */
export function givenFlow(definition: Partial<FlowDefinition> = {}): Flow {
  return defineFlow({ ...LEAST, ...definition });
}

/** What `defineFlow` has against a definition, whatever its types say; empty when nothing. */
export function problemsOf(definition: Record<string, unknown>): readonly FlowProblem[] {
  return problemsThrownBy(() => defineFlow({ ...LEAST, ...definition } as FlowDefinition));
}

/** The same as `field: message` lines. */
export function complaintsOf(definition: Record<string, unknown>): string[] {
  return problemsOf(definition).map(({ field, message }) => `${field}: ${message}`);
}

export function problemsThrownBy(act: () => unknown): readonly FlowProblem[] {
  try {
    act();
  } catch (error) {
    if (error instanceof FlowDefinitionError) return error.problems;
    throw error;
  }
  return [];
}
