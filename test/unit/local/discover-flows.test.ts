import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discoverFlows, FlowDiscoveryError } from '../../../infra/discover-flows.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'layover-flows-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Files {
  readonly flow?: string;
  readonly handler?: string;
}

const flowText = (name: string, queue = name): string =>
  `export const flow = { name: '${name}', queue: '${queue}', schedule: { delaysMs: [] } };`;

async function addFlow(name: string, files: Files = {}): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  const { flow = flowText(name), handler = 'export const handler = () => {};' } = files;
  if (flow !== '') await writeFile(join(folder, name, 'flow.ts'), flow);
  if (handler !== '') await writeFile(join(folder, name, 'handler.ts'), handler);
}

async function refusal(): Promise<FlowDiscoveryError> {
  const error: unknown = await discoverFlows(folder).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(FlowDiscoveryError);
  return error as FlowDiscoveryError;
}

describe('discoverFlows', () => {
  it('finds the flows of this repository', async () => {
    const names = (await discoverFlows()).map(({ flow }) => flow.name);
    expect(names).toEqual(expect.arrayContaining(['notifications', 'orders']));
  });

  it('finds one flow per folder, sorted by name, with its files', async () => {
    await addFlow('b');
    await addFlow('a');
    const found = await discoverFlows(folder);
    expect(found.map(({ flow }) => flow.name)).toEqual(['a', 'b']);
    expect(found[0]).toMatchObject({
      flowFile: join(folder, 'a', 'flow.ts'),
      handlerFile: join(folder, 'a', 'handler.ts'),
    });
  });

  it('leaves files and folders alone that are hidden or set apart', async () => {
    await addFlow('a');
    await mkdir(join(folder, '_shared'));
    await mkdir(join(folder, '.cache'));
    await writeFile(join(folder, 'README.md'), '');
    expect(await discoverFlows(folder)).toHaveLength(1);
  });

  it('says how to make one when there is none', async () => {
    const error = await refusal();
    expect(error.code).toBe('NO_FLOWS');
    expect(error.message).toContain('layover -- new');
  });

  it('says the same when the folder does not exist', async () => {
    await rm(folder, { recursive: true });
    expect((await refusal()).code).toBe('NO_FLOWS');
  });

  it.each([
    ['flow.ts', { flow: '' }],
    ['handler.ts', { handler: '' }],
  ])('names a missing %s', async (file, files) => {
    await addFlow('a', files);
    const error = await refusal();
    expect(error.code).toBe('MISSING_FILE');
    expect(error.message).toContain(`has no ${file}`);
  });

  it('names the file that could not be imported, with the reason and the cause', async () => {
    await addFlow('a', { flow: 'throw new Error("delays[0] must be …");' });
    const error = await refusal();
    expect(error.code).toBe('NOT_IMPORTABLE');
    expect(error.message).toMatch(/a\/flow\.ts could not be read: delays\[0\] must be …/);
    expect(error.cause).toBeInstanceOf(Error);
  });

  it.each([
    ['nothing', ''],
    ['something else', 'export default {};'],
    ['a plain definition', "export const flow = { name: 'a' };"],
  ])('says what to write when %s is exported', async (_what, flow) => {
    await addFlow('a', { flow: `${flow}\nexport const other = 1;` });
    const error = await refusal();
    expect(error.code).toBe('NO_FLOW_EXPORT');
    expect(error.message).toContain("defineFlow({ name: 'a'");
  });

  it('insists that a flow is named like its folder', async () => {
    await addFlow('orders', { flow: flowText('order') });
    const error = await refusal();
    expect(error.code).toBe('NAME_MISMATCH');
    expect(error.message).toMatch(/defines the flow 'order', but its folder is 'orders'/);
  });

  it('refuses two flows that read one queue', async () => {
    await addFlow('a', { flow: flowText('a', 'shared') });
    await addFlow('b', { flow: flowText('b', 'shared') });
    const error = await refusal();
    expect(error.code).toBe('QUEUE_SHARED');
    expect(error.message).toContain("'a' and 'b' both read the queue 'shared'");
  });
});
