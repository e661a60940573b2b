import { defineFlow } from '../../../../functions/policy/define-flow.ts';

/** A flow of an app that has its own CDK, and its own broker. */
export const flow = defineFlow({
  name: 'invoices',
  queue: 'billing.invoices',
  queueMode: 'existing',
  owner: 'team-billing',
  runbook: 'https://example.com/runbooks/invoices',
  impact: 'Invoices are sent late.',
});
