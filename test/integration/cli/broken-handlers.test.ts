import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { invokeFlow } from '../../../cli/invoke-flow.ts';
import { BundleError } from '../../../infra/bundle.ts';
import { type DiscoveredFlow, discoverFlows } from '../../../infra/discover-flows.ts';
import { ScratchVhost } from '../infra/scratch-vhost.ts';
import { ROOT, tempFile } from './run-cli.ts';

const vhost = new ScratchVhost(`cli-broken-${randomBytes(4).toString('hex')}`);

beforeAll(() => vhost.create());
afterAll(() => vhost.remove());
beforeEach(() => {
  vi.stubEnv('AMQP_URL', vhost.url);
  const silent = vi.spyOn(console, 'error').mockImplementation(() => {});
  return () => {
    vi.unstubAllEnvs();
    silent.mockRestore();
  };
});

/** A flow in a folder of its own, with this code in its handler's body. */
async function flowWith(handler: string): Promise<DiscoveredFlow> {
  const engine = (path: string) => JSON.stringify(join(ROOT, 'functions', path));
  const readme = await tempFile('README.md', 'flows of a test');
  const folder = join(dirname(readme), 'flows');
  await mkdir(join(folder, 'scratch'), { recursive: true });
  await writeFile(
    join(folder, 'scratch', 'flow.ts'),
    `import { defineFlow } from ${engine('policy/define-flow.ts')};
export const flow = defineFlow({
  name: 'scratch', queue: 'scratch', bindings: [], owner: 'o', critical: false,
  runbook: 'https://example.com/r', impact: 'none', handlerTimeout: '10s',
  lambda: { memoryMiB: 128, timeout: '20s' },
});`,
  );
  await writeFile(
    join(folder, 'scratch', 'handler.ts'),
    `import { consumer } from ${engine('consumer/consumer.ts')};
import { flow } from './flow.ts';
${handler}`,
  );
  const [found] = await discoverFlows(folder);
  if (found === undefined) throw new Error('the flow was not found');
  return found;
}

function event(...ids: readonly string[]): string {
  const records = ids.map((messageId) => ({
    basicProperties: { messageId },
    redelivered: false,
    data: Buffer.from(JSON.stringify({ id: messageId })).toString('base64'),
  }));
  return JSON.stringify({
    eventSource: 'aws:rmq',
    rmqMessagesByQueue: { 'scratch::/': records },
  });
}

describe('invoking a handler that is broken', () => {
  it('says file, line and reason when it can’t be bundled, before a broker is looked for', async () => {
    vi.stubEnv('AMQP_URL', 'amqp://127.0.0.1:1');
    const flow = await flowWith("import './missing.ts';\nexport const handler = 1;");
    const error: unknown = await invokeFlow(flow, event('a')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BundleError);
    expect((error as Error).message).toMatch(/handler\.ts:3: Could not resolve "\.\/missing\.ts"/);
  });

  it('fails when its module throws, with its own words', async () => {
    const flow = await flowWith("throw new Error('no database address');");
    const { lines, failure } = await invokeFlow(flow, event('a'));
    expect(lines).toEqual([]);
    expect(failure?.message).toContain('no database address');
  });

  it('fails when there is no handler to be found', async () => {
    const flow = await flowWith('export const handle = consumer(flow, async () => {});');
    const { failure } = await invokeFlow(flow, event('a'));
    expect(failure?.message).toContain('exports no function named "handler"');
  });

  it('fails when a message kills it, and tells what was settled until then', async () => {
    const flow = await flowWith(`
const write = process.stdout.write.bind(process.stdout);
const said = new Promise<void>((resolve) => {
  process.stdout.write = ((text: string) => {
    if (text.includes('"settled"')) setImmediate(resolve);
    return write(text);
  }) as typeof process.stdout.write;
});
export const handler = consumer(flow, async ({ payload }) => {
  if ((payload as { id: string }).id !== 'deadly') return;
  await said;
  process.abort();
});`);
    const { lines, failure } = await invokeFlow(flow, event('fine', 'deadly'));
    expect(failure).toMatchObject({ code: 'DIED' });
    expect(lines.map(({ messageId, verdict }) => [messageId, verdict])).toEqual([['fine', 'done']]);
  });

  it('parks what it throws as the policy says: that is no failure of the invocation', async () => {
    const flow = await flowWith(
      'export const handler = consumer(flow, async () => { undefinedName(); });',
    );
    const { lines, failure } = await invokeFlow(flow, event('a'));
    expect(failure).toBeUndefined();
    expect(lines).toMatchObject([{ messageId: 'a', verdict: 'park', class: 'bug' }]);
  });
});
