import type { FlowDefinition } from '../../../functions/policy/flow-definition.ts';

/** The part of a flow's definition that JSON can carry into a function's environment. */
export type PlainDefinition = Omit<
  FlowDefinition,
  'payload' | 'labels' | 'rules' | 'idempotency'
> & { readonly idempotency: boolean };
