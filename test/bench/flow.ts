import { defineFlow } from '../../functions/policy/define-flow.ts';

/** One tier of an hour, so that nothing comes back while it is measured. */
export const benchFlow = defineFlow({
  name: 'bench',
  queue: 'layover-bench',
  owner: 'bench',
  runbook: 'https://example.com/bench',
  impact: 'none',
  critical: false,
  schedule: { delays: ['1h'] },
  batch: { size: 10_000 },
  parallelism: 10,
  handlerTimeout: '10s',
  lambda: { memoryMiB: 256, timeout: '1m' },
});
