import { describe, expect, it } from 'vitest';
import { runLayover, tempFile } from './run-layover.ts';

async function classify(error: unknown, ...options: readonly string[]) {
  const file = await tempFile('error.json', JSON.stringify(error));
  const flow = options.includes('--flow') ? [] : ['--flow', 'orders'];
  return runLayover('classify', ...flow, '--error', file, ...options);
}

async function classified(error: unknown, ...options: readonly string[]) {
  const { code, stdout, stderr } = await classify(error, '--json', ...options);
  expect({ code, stderr, lines: stdout.trimEnd().split('\n').length }).toEqual({
    code: 0,
    stderr: '',
    lines: 1,
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

const RESET = { name: 'Error', message: 'read ECONNRESET', code: 'ECONNRESET' };

describe('classify --json', () => {
  it('has exactly class, rule, verdict, delayMs and signature for a retry, in that order', async () => {
    const result = await classified(RESET);
    expect(Object.keys(result)).toEqual(['class', 'rule', 'verdict', 'delayMs', 'signature']);
    expect(result).toMatchObject({ class: 'transient', verdict: 'retry', delayMs: 10_000 });
    expect(result.signature).toMatch(/^[0-9a-f]{12}$/);
  });

  it('has these five first and no delay for what is parked, with why behind them', async () => {
    const result = await classified({ name: 'TypeError', message: 'x is not a function' });
    expect(Object.keys(result).slice(0, 5)).toEqual([
      'class',
      'rule',
      'verdict',
      'delayMs',
      'signature',
    ]);
    expect(result).toMatchObject({ class: 'bug', verdict: 'park', delayMs: null, why: 'policy' });
  });

  it('waits longer at a later attempt, and parks at the last', async () => {
    expect(await classified(RESET, '--attempt', '2')).toMatchObject({ delayMs: 60_000 });
    expect(await classified(RESET, '--attempt', '5')).toMatchObject({
      verdict: 'park',
      delayMs: null,
      why: 'attempts-exhausted',
    });
  });

  it('reads status and headers: Retry-After is a floor', async () => {
    const limited = {
      message: 'Too Many Requests',
      response: { status: 429, headers: { 'retry-after': '120' } },
    };
    const result = await classified(limited);
    expect(result).toMatchObject({ class: 'backpressure', verdict: 'retry' });
    expect(result.delayMs).toBeGreaterThanOrEqual(120_000);
  });

  it('reads a cause, and the members of an AggregateError', async () => {
    const fetchFailed = { name: 'TypeError', message: 'fetch failed', cause: RESET };
    expect(await classified(fetchFailed)).toMatchObject({ class: 'transient' });
    const aggregate = { name: 'AggregateError', message: '', errors: [RESET, RESET] };
    expect(await classified(aggregate)).toMatchObject({ class: 'transient' });
  });

  it("asks the flow's own rules first", async () => {
    const gone = { message: 'The push provider answered 410', status: 410 };
    expect(await classified(gone, '--flow', 'notifications')).toMatchObject({
      class: 'stale',
      rule: 'device-unregistered',
      verdict: 'discard',
      delayMs: null,
    });
  });

  it("knows the consumer's own failures, as a function would", async () => {
    const refused = { name: 'PayloadInvalidError', code: 'LAYOVER_PAYLOAD_INVALID', message: 'x' };
    expect(await classified(refused)).toMatchObject({
      class: 'invalid',
      rule: 'layover.payload-invalid',
    });
  });

  it.each([[null], ['out of paper'], [42], [[]], [{}]])(
    'gives an answer for %j, too',
    async (thrown) => {
      expect(await classified(thrown)).toMatchObject({ class: expect.any(String) });
    },
  );
});

describe('classify', () => {
  it('says the same to a person, a line each', async () => {
    const { code, stdout } = await classify(RESET);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^class {2,}transient$/m);
    expect(stdout).toMatch(/^rule {2,}network\.reset$/m);
    expect(stdout).toMatch(/^verdict {2,}retry after 10s$/m);
    expect(stdout).toMatch(/^reads as {2,}Error: read ECONNRESET$/m);
  });

  it('lets no control character of a message reach the terminal', async () => {
    const { stdout } = await classify({ name: 'Error', message: 'a\u001b[2Jb\u202ec\rd' });
    expect(stdout).toContain('Error: a');
    for (const control of ['\u001b', '\u202e', '\r']) expect(stdout).not.toContain(control);
  });

  it('takes a description without a message for an error with an empty one', async () => {
    const { stdout } = await classify({ name: 'QuotaError', code: 'ECONNRESET' });
    expect(stdout).toMatch(/^reads as {2,}QuotaError/m);
  });

  it.each(['0', '-1', '1.5', 'two', ''])('refuses --attempt %j', async (attempt) => {
    const { code, stderr } = await classify(RESET, `--attempt=${attempt}`);
    expect(code).toBe(2);
    expect(stderr).toContain(`--attempt is '${attempt}'; give a whole number from 1 on.`);
  });

  it('refuses a file that is no JSON, and names it', async () => {
    const file = await tempFile('error.json', 'ECONNRESET');
    const { code, stderr } = await runLayover('classify', '--flow', 'orders', '--error', file);
    expect(code).toBe(2);
    expect(stderr).toContain('error.json');
  });
});
