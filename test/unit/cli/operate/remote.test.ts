import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { executeRun } from '../../../../functions/replay/execute.ts';
import { BOB } from '../../../helpers/operator-functions.ts';
import { type ReplayTables, startReplayTables } from '../../../helpers/replay-tables.ts';
import { type Ran, runLayover } from '../run-layover.ts';
import { type OperatorWorld, operatorWorld } from './operator-world.ts';

let tables: ReplayTables;
let dev: OperatorWorld;

beforeAll(async () => {
  tables = await startReplayTables();
});
afterAll(async () => {
  await tables.stop();
});
beforeEach(async () => {
  dev = await operatorWorld(tables);
  signIn(dev.functions.env());
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await dev.functions.close();
});

function signIn(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
}

/** The functions log in this process, too; that is none of what a person reads. */
async function onDev(...argv: string[]): Promise<Ran> {
  const ran = await runLayover(...argv, '--env', 'dev');
  return { ...ran, stderr: ran.stderr.replaceAll(/^\{"message":"request failed".*\n/gm, '') };
}

async function planned(...filter: string[]): Promise<string> {
  const { stdout, stderr } = await onDev('plan', dev.flow.name, '--json', ...filter);
  expect(stderr).toBe('');
  return JSON.parse(stdout).id;
}

describe('an on-call engineer', () => {
  it('sees how the flows stand, and which figures nobody knows', async () => {
    const { code, stdout } = await onDev('status');

    expect(code).toBe(0);
    const [head, row] = stdout.split('\n');
    expect(head).toBe(
      'flow       to do  waiting  isolated  parked  oldest   replay  pollers'.replace(
        'flow     ',
        'flow'.padEnd(dev.flow.name.length),
      ),
    );
    expect(row?.split(/ {2,}/)).toEqual([
      dev.flow.name,
      '4',
      '2',
      '?',
      '3',
      '2 h ago',
      'on',
      'Enabled',
    ]);
    expect(stdout).toContain(`${dev.flow.name}: isolated not known: no total for orders.isolated`);
  });

  it('sees what is parked, and which guard keeps automatic replay from it', async () => {
    const { code, stdout } = await onDev('parked', dev.flow.name);

    expect(code).toBe(0);
    expect(stdout).toContain('3 messages parked');
    expect(stdout).toMatch(
      /^transient +sig-network +2 +1 h ago +1 h ago +yes +m-0 {2}Error: connect/m,
    );
    expect(stdout).toMatch(/^invalid +bad-total +1 .* no: class +m-2/m);
    expect(stdout).toContain(`plan ${dev.flow.name} --class transient --env dev`);
  });

  it('sees a message by its id alone, with its headers', async () => {
    const shown = await onDev('show', dev.flow.name, 'm-2');
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^class +invalid \(network\)$/m);
    expect(shown.stdout).toMatch(/^automatic replay +no: class, /m);
    expect(shown.stdout).not.toContain('"n": 2');

    const withBody = await onDev('show', dev.flow.name, 'm-2', '--body');
    expect(withBody.stdout).toContain('"n": 2');
    expect(shown.stdout).toContain('--body');
    expect(withBody.stdout).not.toContain('--body');
    expect(dev.functions.asked.at(-1)).toBe('bodies body');
  });

  it('plans, runs with a reason, and reads who did what', async () => {
    const id = await planned('--class', 'transient', '--no-ramp');

    const ran = await onDev(
      'run',
      id,
      '--reason',
      'payments are back',
      '--ticket',
      'INC-7',
      '--yes',
    );
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toContain(`Run ${id} of ${dev.flow.name} is done`);
    expect(ran.stdout).toContain('2 of 2: moved 2, for ada');
    expect(dev.world.work).toHaveLength(2);

    const audit = await onDev('audit', dev.flow.name, '--run', id);
    expect(audit.stdout).toMatch(
      /started +replay of 2 messages by ada: payments are back \(INC-7\), no ramp/,
    );
    expect(audit.stdout).toMatch(/moved +2 messages: m-0, m-1/);
    const kinds = audit.stdout.match(/started|moved {2,}|ended/g)?.map((kind) => kind.trim());
    expect(kinds?.slice(0, 3)).toEqual(['started', 'moved', 'ended']);
  });

  it('gives a run a rate and no ramp although the plan had neither', async () => {
    const id = await planned();
    const ran = await onDev('run', id, '--reason', 'x', '--yes', '--rate', '600/min', '--no-ramp');

    expect(ran.code, ran.stderr).toBe(0);
    const run = await dev.store.runs.mustGet(id);
    expect(run.plan.options).toMatchObject({ ratePerSecond: 10, ramp: false });
  });

  it('gets one line of JSON for each change of a run, the last with how it ended', async () => {
    const id = await planned('--no-ramp');
    const ran = await onDev('run', id, '--reason', 'x', '--yes', '--json');

    const lines = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toMatchObject({
      run: id,
      flow: dev.flow.name,
      environment: 'dev',
      action: 'replay',
      state: 'done',
      selected: 3,
      counters: { moved: 3 },
      leftovers: {},
      depthBefore: 3,
      depthAfter: 0,
    });
    const watched = await onDev('watch', id, '--json');
    expect(watched.code).toBe(0);
    expect(JSON.parse(watched.stdout)).toEqual(lines.at(-1));
  });

  it('is told by exit code 6 that a run left something', async () => {
    const id = await planned('--no-ramp');
    dev.world.onPublish = () => {
      throw Object.assign(new Error('no route'), { code: 'UNROUTABLE' });
    };
    const ran = await onDev('run', id, '--reason', 'x', '--yes');

    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain('Not everything that was planned was done');
    expect((await onDev('watch', id)).code).toBe(6);
  });

  it('is told by exit code 6 that nobody knows how a run ended, and by 0 once all is known', async () => {
    const id = await planned();
    await onDev('run', id, '--reason', 'x', '--yes', '--detach');
    const deadlineAtMs = dev.world.nowMs + 600_000;
    const ports = { ...dev.world.ports(dev.store), environment: 'dev' };
    await executeRun(ports, dev.flow, id, { worker: 'w', deadlineAtMs });

    const ran = await onDev('watch', id);
    expect(ran.code).toBe(6);
    expect(ran.stdout).toContain('How 3 messages ended is not known yet.');
    expect(ran.stderr).toContain(
      'Everything was moved; how 3 messages ended is not known, 0 failed again.',
    );
    const json = await onDev('watch', id, '--json');
    expect(json.code).toBe(6);
    expect(JSON.parse(json.stdout)).toMatchObject({ state: 'done', outcomesUnknown: 3 });

    for (const messageId of ['m-0', 'm-1', 'm-2']) {
      expect((await onDev('watch', id)).code).toBe(6);
      await dev.store.outcomes.record({ runId: id, messageId, ok: true }, dev.world.nowMs);
    }
    const later = await onDev('watch', id);
    expect(later.code, later.stderr).toBe(0);
    expect(later.stdout).not.toContain('not known yet');

    const again = { runId: id, messageId: 'm-2', ok: false };
    await dev.store.outcomes.record(again, dev.world.nowMs);
    const failed = await onDev('watch', id);
    expect(failed.code).toBe(6);
    expect(failed.stdout).toContain('Failed again since: 1 message');
  });

  it('removes messages by a plan of its own, exported before', async () => {
    const discard = await onDev('discard', dev.flow.name, '--id', 'm-2', '--json');
    const { id, action } = JSON.parse(discard.stdout);
    expect(action).toBe('discard');

    const ran = await onDev('run', id, '--reason', 'test data', '--yes');
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toContain('discarded 1');
    expect(dev.world.exported).toHaveLength(1);
  });

  it('pauses a flow, lets it go on, and switches replay for all', async () => {
    const paused = await onDev('pause', dev.flow.name, '--reason', 'bad deployment', '--yes');
    expect(paused.stdout).toBe(`${dev.flow.name}: pollers mapping-1 Disabling; replay off.\n`);
    expect((await onDev('status')).stdout).toMatch(/off +Disabling/);
    await onDev('resume', dev.flow.name, '--reason', 'rolled back', '--yes');
    // A brake neither asks nor wants a reason.
    const off = await onDev('replay', 'off');
    expect(off.code, off.stderr).toBe(0);
    expect((await onDev('audit')).stdout).toContain('to off by ada: not given');
    const switched = await onDev('audit', dev.flow.name);
    expect(switched.stdout).toMatch(/paused +by ada: bad deployment; pollers Disabling/);
  });

  it('is told that a flow whose replay is switched on is paused', async () => {
    await onDev('pause', dev.flow.name, '--reason', '', '--yes');
    const on = await onDev('replay', 'on', dev.flow.name, '--reason', 'x', '--yes');
    expect(on.code, on.stderr).toBe(0);
    expect(on.stderr).toContain(`${dev.flow.name} is paused: its pollers are Disabling.`);
    expect(on.stderr).toContain(`resume ${dev.flow.name} --reason '…' --env dev`);

    await onDev('resume', dev.flow.name, '--reason', 'x', '--yes');
    const again = await onDev('replay', 'on', dev.flow.name, '--reason', 'x', '--yes');
    expect(again.stderr).toBe('');
  });

  it.each([
    ['run', '<planId>'],
    ['replay', '<state> [flow]'],
    ['resume', '<flow>'],
  ])('reads in the help of %s that it takes a reason', async (command, args) => {
    expect((await runLayover(command, '--help')).stdout).toContain(
      `${command} ${args} --reason '…' [options]`,
    );
  });

  it('cancels a plan', async () => {
    const id = await planned();
    expect((await onDev('cancel', id)).stdout).toContain('was asked to stop');
    expect((await onDev('cancel', id)).stdout).toContain('is over already');
  });

  it.each(['cancel', 'watch'])('%s of a run there is none of speaks of runs', async (command) => {
    const { code, stderr } = await onDev(command, 'nosuch');
    expect(code).toBe(3);
    expect(stderr).toContain('There is no run nosuch here.');
    expect(stderr).toContain('Runs are of one environment; this is dev.');
    expect(stderr.toLowerCase()).not.toContain('plan');
  });

  it('reads ids in the audit of what a cancelled run left', async () => {
    const id = await planned('--no-ramp');
    await onDev('run', id, '--reason', 'x', '--yes', '--detach');
    await onDev('cancel', id);
    expect((await onDev('watch', id, '--continue')).code).toBe(6);
    const audit = await onDev('audit', dev.flow.name, '--run', id);
    expect(audit.stdout).toMatch(/left +not-reached: 3 messages: m-0, m-1, m-2/);
  });

  it.each(['plan', 'discard'])('%s of a class there is none of is refused', async (command) => {
    const { code, stderr } = await onDev(command, dev.flow.name, '--class', 'foo');
    expect(code).toBe(2);
    expect(stderr).toContain("--class is 'foo'; there are: transient, ");
    expect(dev.functions.asked).toEqual([]);
  });

  it('starts a run and leaves it to the schedule; watching may end before it does', async () => {
    const id = await planned('--no-ramp');
    const detached = await onDev('run', id, '--reason', 'x', '--yes', '--detach');
    expect(detached.code).toBe(0);
    expect(dev.world.work).toHaveLength(0);

    const watched = await onDev('watch', id, '--timeout', '1ms');
    expect(watched.code).toBe(7);
    const goesOn = await onDev('watch', id, '--continue');
    expect(goesOn.stdout + goesOn.stderr).toContain('moved 3');
  });
});

describe('an on-call engineer is refused', () => {
  it('without a confirmation, with the way out', async () => {
    const id = await planned();
    for (const argv of [
      ['run', id],
      ['pause', dev.flow.name],
      ['resume', dev.flow.name],
      ['replay', 'on'],
    ]) {
      const { code, stderr } = await onDev(...argv, '--reason', 'x');
      expect(code, argv[0]).toBe(2);
      expect(stderr).toContain('add --yes');
    }
    expect(dev.world.work).toHaveLength(0);
  });

  it('a plan that is too old, and gets the command that makes it again', async () => {
    const id = await planned(
      '--class',
      'transient',
      '--limit',
      '5',
      '--label',
      "who=o'hara",
      '--no-ramp',
    );
    dev.world.nowMs += 2 * 3_600_000;
    const { code, stderr } = await onDev('run', id, '--reason', 'x', '--yes');

    expect(code).toBe(3);
    expect(stderr).toContain('was valid until');
    expect(stderr).toContain(
      `plan ${dev.flow.name} --class transient --label 'who=o'\\''hara' --limit 5 --no-ramp --env dev`,
    );
  });

  it('a plan that was run, and one of another environment', async () => {
    const id = await planned('--no-ramp');
    await onDev('run', id, '--reason', 'x', '--yes');
    const again = await onDev('run', id, '--reason', 'x', '--yes');
    expect(again.code).toBe(3);
    expect(again.stderr).toContain(`watch ${id} --env dev`);

    const unknown = await onDev('run', 'of-prod', '--reason', 'x', '--yes');
    expect(unknown.code).toBe(3);
    expect(unknown.stderr).toContain('There is no plan of-prod here');
    expect(unknown.stderr).toContain('this is dev');
  });

  it('replay while it is switched off, and is told how to see why', async () => {
    const id = await planned();
    await onDev('replay', 'off', '--reason', 'x');
    const { code, stderr } = await onDev('run', id, '--reason', 'x', '--yes');

    expect(code).toBe(3);
    expect(stderr).toContain(`audit ${dev.flow.name} --env dev`);
    expect(stderr).toContain(`replay on ${dev.flow.name} --reason '…' --env dev`);
    expect(stderr).toContain("replay on --reason '…' --env dev");
    expect(stderr).toContain('audit --env dev');
  });

  it('a look at a queue that a run holds, and learns whose it is', async () => {
    const id = await planned();
    await onDev('run', id, '--reason', 'payments are back', '--yes', '--detach');
    const parking = await dev.world.ports(dev.store).openParking('orders', 0);
    const { code, stderr } = await onDev('parked', dev.flow.name);
    await parking.close();

    expect(code).toBe(5);
    expect(stderr).toContain(`It is held by run ${id} of ada, since `);
    expect(stderr).toContain(': payments are back');
    expect(stderr).toContain(`watch ${id} --env dev`);
  });

  it('a second run of a flow, and learns of the first', async () => {
    const [first, second] = [await planned(), await planned()];
    await onDev('run', first, '--reason', 'x', '--yes', '--detach');
    const { code, stderr } = await onDev('run', second, '--reason', 'x', '--yes');

    expect(code).toBe(5);
    expect(stderr).toContain(`watch ${first} --env dev`);
  });

  it('a flow there is none of, with the one that was meant', async () => {
    const { code, stderr } = await onDev('parked', dev.flow.name.replace('on-', 'no-'));
    expect(code).toBe(2);
    expect(stderr).toContain(`Did you mean ${dev.flow.name}?`);
  });

  it('what their policies do not grant, with the policy that would', async () => {
    signIn(dev.functions.env(BOB));
    expect((await onDev('status')).code).toBe(0);
    const { code, stderr } = await onDev('plan', dev.flow.name);

    expect(code).toBe(4);
    expect(stderr).toContain("takes the permission 'replay' in dev");
    expect(stderr).toContain('layover-dev-replay-run');
  });

  it.each([
    ['unknown credentials', { accessKeyId: 'AKIAEVE', secretAccessKey: 'x' }],
    ['a wrong secret', { accessKeyId: 'AKIAADA', secretAccessKey: 'wrong' }],
  ])('with %s', async (_what, keys) => {
    signIn(dev.functions.env(keys));
    const { code, stderr } = await onDev('status');
    expect(code).toBe(4);
    expect(stderr).toContain('AWS does not accept your credentials');
    expect(dev.functions.asked).toEqual([]);
  });

  it('not for a clock that is off, unless even the corrected one is', async () => {
    dev.functions.clockMs = 20 * 60_000;
    expect((await onDev('status')).code).toBe(0);

    const text = '{"message":"Signature expired: 20260601T120000Z is now earlier than …"}';
    dev.functions.fault = () => ({ status: 403, text });
    const { code, stderr } = await onDev('status');
    expect(code).toBe(1);
    expect(stderr).toContain('The clock of this machine is off by 20 min (behind)');
  });

  it('an environment that is not deployed, or not there', async () => {
    const { code, stderr } = await runLayover('status', '--env', 'prod');
    expect(code).toBe(1);
    expect(stderr).toContain('There is no function layover-prod-replay-view in eu-central-1');
  });

  it.each([
    [
      'a function that broke',
      { status: 502, text: '{"Message":"Internal Server Error"}' },
      'aws logs tail',
    ],
    [
      'a busy function',
      { status: 429, text: '{"Reason":"ConcurrentInvocationLimitExceeded"}' },
      'is busy',
    ],
    ['a connection that broke', 'hang up' as const, "can't be reached"],
  ])('by %s, in words', async (_what, fault, words) => {
    dev.functions.fault = () => fault;
    const { code, stderr } = await onDev('status');
    expect(code).toBe(1);
    expect(stderr).toContain(words);
  });
});
