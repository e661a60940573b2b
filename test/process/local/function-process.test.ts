import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { InvocationError } from '../../../infra/local/errors.ts';
import { type FunctionOptions, FunctionProcess } from '../../../infra/local/function-process.ts';

/** A handler that does what its event says. */
const HANDLER = `
let invocations = 0;
export const handler = async (event, context) => {
  invocations++;
  if (event.throw) throw new TypeError(event.throw);
  if (event.abort) process.abort();
  if (event.exit !== undefined) process.exit(event.exit);
  if (event.hang) await new Promise((resolve) => setTimeout(resolve, 60_000));
  if (event.block) for (;;);
  if (event.hoard) { const all = []; for (;;) all.push(new Array(100_000).fill(event)); }
  for (const line of event.print ?? []) console.log(line);
  if (event.complain) console.error(event.complain);
  return { pid: process.pid, invocations, context: { ...context, left: context.getRemainingTimeInMillis() }, env: process.env.STAGE, keys: Object.keys(event) };
};
`;

interface Returned {
  readonly pid: number;
  readonly invocations: number;
  readonly env: string;
  readonly keys: readonly string[];
  readonly context: Readonly<Record<string, unknown>> & { readonly left: number };
}

let folder = '';
const started: FunctionProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'layover-test-'));
  await writeFile(join(folder, 'good.mjs'), HANDLER);
  await writeFile(join(folder, 'none.mjs'), 'export const other = 1;');
  await writeFile(join(folder, 'broken.mjs'), 'throw new Error("no database address");');
  await writeFile(join(folder, 'next.mjs'), 'export const handler = async () => "next version";');
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((sandbox) => sandbox.stop()));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function start(options: Partial<FunctionOptions> & { bundle?: string } = {}): FunctionProcess {
  const sandbox = new FunctionProcess({
    name: 'orders',
    bundleFile: join(folder, options.bundle ?? 'good.mjs'),
    memoryMiB: 64,
    timeoutMs: 10_000,
    env: { STAGE: 'test' },
    ...options,
  });
  started.push(sandbox);
  return sandbox;
}

const run = (sandbox: FunctionProcess, event: object = {}) =>
  sandbox.invoke(JSON.stringify(event)) as Promise<Returned>;

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(InvocationError);
  return (error as InvocationError).code;
}

describe('a function process', () => {
  it('gives what the handler returned', async () => {
    const sandbox = start();
    expect((await run(sandbox)).env).toBe('test');
  });

  it('is kept for the next invocation, as a warm sandbox is', async () => {
    const sandbox = start();
    const [first, second] = [await run(sandbox), await run(sandbox)];
    expect(second.pid).toBe(first.pid);
    expect(second.invocations).toBe(2);
    expect(sandbox.starts).toBe(1);
  });

  it('gives the handler a context like Lambda’s', async () => {
    const { context } = await run(start({ timeoutMs: 5_000 }));
    expect(context).toMatchObject({
      functionName: 'orders',
      functionVersion: '$LATEST',
      memoryLimitInMB: '64',
      callbackWaitsForEmptyEventLoop: true,
    });
    expect(context.awsRequestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(context.left).toBeGreaterThan(0);
    expect(context.left).toBeLessThanOrEqual(5_000);
  });

  it('has read every line of an invocation when the invocation ends', async () => {
    const lines: string[] = [];
    const sandbox = start({ onLine: (line) => lines.push(line) });
    const print = Array.from({ length: 500 }, (_, index) => `line ${index}`);
    await run(sandbox, { print });
    expect(lines).toEqual(print);
  });

  it('tells lines of stderr from lines of stdout', async () => {
    const streams: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const sandbox = start({
      onLine: (line, stream) => {
        streams.push(`${stream}: ${line}`);
        if (streams.length === 2) resolve();
      },
    });
    await run(sandbox, { print: ['out'], complain: 'err' });
    await promise;
    expect(streams.sort()).toEqual(['stderr: err', 'stdout: out']);
  });

  it('case 50: parses the event in the process, so a key __proto__ stays a key', async () => {
    const sandbox = start();
    const { keys } = (await sandbox.invoke('{"__proto__":{"a":1},"b":2}')) as Returned;
    expect(keys).toEqual(['__proto__', 'b']);
  });
});

describe('an invocation that fails', () => {
  it('lives on when the handler throws', async () => {
    const sandbox = start();
    const { pid } = await run(sandbox);
    await expect(run(sandbox, { throw: 'no such order' })).rejects.toThrow('no such order');
    expect((await run(sandbox)).pid).toBe(pid);
  });

  it('has the code FUNCTION_ERROR when the handler throws', async () => {
    expect(await codeOf(run(start(), { throw: 'x' }))).toBe('FUNCTION_ERROR');
  });

  it.each([
    ['aborts', { abort: true }, /SIGABRT/],
    ['exits', { exit: 3 }, /exit code 3/],
    ['exits as if all were well', { exit: 0 }, /exit code 0/],
    ['takes more memory than it has', { hoard: true }, /SIGABRT/],
  ])('starts a new process after one that %s', async (_how, event, how) => {
    const sandbox = start();
    const { pid } = await run(sandbox);
    const failed = run(sandbox, event);
    await expect(failed).rejects.toThrow(how);
    expect(await codeOf(failed)).toBe('DIED');
    const after = await run(sandbox);
    expect(after.pid).not.toBe(pid);
    expect(after.invocations).toBe(1);
  });

  it.each([
    ['waits for ever', { hang: true }],
    ['never gives the event loop back', { block: true }],
  ])('is killed at the timeout when it %s', async (_how, event) => {
    const sandbox = start({ timeoutMs: 500 });
    const { pid } = await run(sandbox);
    expect(await codeOf(run(sandbox, event))).toBe('TIMEOUT');
    expect((await run(sandbox)).pid).not.toBe(pid);
  });

  it('can be killed from outside in the middle', async () => {
    const sandbox = start();
    await run(sandbox);
    const hanging = run(sandbox, { hang: true });
    expect(sandbox.busy).toBe(true);
    expect(sandbox.kill()).toBe(true);
    expect(await codeOf(hanging)).toBe('DIED');
    expect(sandbox.busy).toBe(false);
  });
});

describe('a function that cannot start', () => {
  it('says what the import threw', async () => {
    const failed = run(start({ bundle: 'broken.mjs' }));
    await expect(failed).rejects.toThrow('no database address');
    expect(await codeOf(failed)).toBe('INIT_FAILED');
  });

  it('says that there is no handler', async () => {
    await expect(run(start({ bundle: 'none.mjs' }))).rejects.toThrow(/no function named "handler"/);
  });

  it('says that there is no such file', async () => {
    expect(await codeOf(run(start({ bundle: 'missing.mjs' })))).toBe('INIT_FAILED');
  });

  it('tries again with every invocation', async () => {
    const sandbox = start({ bundle: 'broken.mjs' });
    expect(await codeOf(run(sandbox))).toBe('INIT_FAILED');
    expect(await codeOf(run(sandbox))).toBe('INIT_FAILED');
    expect(sandbox.starts).toBe(2);
  });
});

describe('between invocations', () => {
  it('a frozen process goes on where it was', async () => {
    const sandbox = start({ freeze: true });
    const first = await run(sandbox);
    const second = await run(sandbox);
    expect(second).toMatchObject({ pid: first.pid, invocations: 2 });
  });

  it('uses another bundle from the next invocation on', async () => {
    const sandbox = start();
    await run(sandbox);
    sandbox.replace(join(folder, 'next.mjs'));
    expect(await sandbox.invoke('{}')).toBe('next version');
  });

  it('refuses to run once stopped, and leaves no process behind', async () => {
    const sandbox = start();
    const { pid } = await run(sandbox);
    await sandbox.stop();
    expect(await codeOf(run(sandbox))).toBe('STOPPED');
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });
});
