/** The files of a new flow by path. What they hold is complete and passes `npm run check`. */
export function flowFiles(name: string): Readonly<Record<string, string>> {
  return {
    [`functions/flows/${name}/flow.ts`]: flowFile(name),
    [`functions/flows/${name}/payload.ts`]: payloadFile(),
    [`functions/flows/${name}/handler.ts`]: handlerFile(),
    [`functions/flows/${name}/example.json`]: exampleFile(),
    [`test/unit/flows/${name}.test.ts`]: testFile(name),
  };
}

function flowFile(name: string): string {
  return `import { defineFlow } from '../../policy/define-flow.ts';
import { payloadSchema } from './payload.ts';

export const flow = defineFlow({
  name: '${name}',
  queue: '${name}',
  bindings: [
    {
      exchange: 'events',
      type: 'topic',
      routingKey: '${name}.requested',
    },
  ],
  owner: 'team-${name}',
  runbook: 'https://example.com/runbooks/${name}',
  impact: 'Say here what stands still for whom while messages are parked.',
  critical: false,
  payload: payloadSchema,
  // Failures only this flow knows; asked before the built-in rules.
  rules: [{ name: 'already-done', class: 'duplicate', when: { code: 'ALREADY_DONE' } }],
});
`;
}

function payloadFile(): string {
  return `import * as z from 'zod';

/** Any Standard Schema library will do. A message that does not fit is parked as \`invalid\`. */
export const payloadSchema = z.object({ id: z.string().min(1) });
`;
}

function handlerFile(): string {
  return `import { consumer } from '../../consumer/consumer.ts';
import { flow } from './flow.ts';

export const handler = consumer(flow, async ({ payload }, { signal, idempotencyKey, log }) => {
  signal.throwIfAborted();
  // Returning means done; throwing means failed, and the policy decides by what was thrown.
  // Pass \`signal\` to every call, and \`idempotencyKey\` to a downstream that honours one.
  log.info('handled', { id: payload.id, idempotencyKey });
});
`;
}

function exampleFile(): string {
  return '{ "id": "example-1" }\n';
}

function testFile(name: string): string {
  return `import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { flow } from '../../../functions/flows/${name}/flow.ts';
import { payloadSchema } from '../../../functions/flows/${name}/payload.ts';
import { classify } from '../../../functions/policy/classify.ts';
import { decide } from '../../../functions/policy/verdict.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const EXAMPLE = new URL(\`../../../functions/flows/\${flow.name}/example.json\`, import.meta.url);

function verdictOn(thrown: unknown, retryCount = 0) {
  const failure = classify(thrown, { rules: flow.rules, sensitive: flow.sensitive, now: NOW });
  return decide(failure, { retryCount }, flow, NOW, () => 0);
}

describe('${name}', () => {
  it('accepts the example and refuses what has no id', () => {
    const example = JSON.parse(readFileSync(EXAMPLE, 'utf8'));
    expect(payloadSchema.safeParse(example).success).toBe(true);
    expect(payloadSchema.safeParse({ ...example, id: '' }).success).toBe(false);
  });

  it('retries an outage of a downstream until attempts are used up, then parks', () => {
    const outage = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(verdictOn(outage)).toMatchObject({ kind: 'retry' });
    expect(verdictOn(outage, flow.schedule.maxAttempts - 1)).toMatchObject({ kind: 'park' });
  });

  it('acknowledges what was done already', () => {
    const done = Object.assign(new Error('exists'), { code: 'ALREADY_DONE' });
    expect(verdictOn(done)).toEqual({ kind: 'acknowledge' });
  });
});
`;
}
