import type { Rule } from '../policy/types.ts';

/** Failures that the consumer itself raises, told by code: asked after the flow's rules. */
export const CONSUMER_RULES: readonly Rule[] = [
  { name: 'layover.payload', class: 'contract', when: ({ code }) => code === 'LAYOVER_PAYLOAD' },
  {
    name: 'layover.payload-invalid',
    class: 'invalid',
    when: ({ code }) => code === 'LAYOVER_PAYLOAD_INVALID',
  },
  {
    name: 'layover.handler-timeout',
    class: 'transient',
    when: ({ code }) => code === 'LAYOVER_HANDLER_TIMEOUT',
  },
];
