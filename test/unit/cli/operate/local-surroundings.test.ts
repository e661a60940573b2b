import { describe, expect, it } from 'vitest';
import { localSurroundings } from '../../../../cli/operator/local-surroundings.ts';
import { OperatorError } from '../../../../cli/operator/operator-error.ts';
import type { RunningLocalRun } from '../../../../infra/local/running.ts';

const TABLES = { LAYOVER_REPLAY_TABLE: 'replay', LAYOVER_AUDIT_TABLE: 'audit' };
const URL_OF_RUN = 'amqp://guest:guest@127.0.0.1:32773';

function run(env: Readonly<Record<string, string>>): RunningLocalRun {
  return { pid: 42, startedAtMs: 0, amqpUrl: URL_OF_RUN, flows: ['orders'], env };
}

const running =
  (...runs: RunningLocalRun[]) =>
  async () =>
    runs;

describe('without --env a command works on', () => {
  it('the local run that is up, with its flows, tables and folder', async () => {
    const up = run({ ...TABLES, LAYOVER_LOCAL_STATE: '/tmp/state' });
    expect(await localSurroundings(undefined, {}, running(up))).toEqual({
      env: {
        ...TABLES,
        LAYOVER_LOCAL_STATE: '/tmp/state',
        AMQP_URL: URL_OF_RUN,
        LAYOVER_BROKER_VHOST: '/',
      },
      stateFolder: '/tmp/state',
      flows: ['orders'],
    });
  });

  it('the broker that is named, with the tables that are named; --amqp wins', async () => {
    const env = { ...TABLES, AMQP_URL: 'amqp://one', LAYOVER_LOCAL_STATE: '/tmp/mine' };
    const here = await localSurroundings(undefined, env, running());
    expect(here).toMatchObject({ env: { AMQP_URL: 'amqp://one' }, stateFolder: '/tmp/mine' });
    expect(here.flows).toBeUndefined();
    const there = await localSurroundings('amqp://two/my%2Fhost', env, running());
    expect(there.env).toEqual({
      AMQP_URL: 'amqp://two/my%2Fhost',
      LAYOVER_BROKER_VHOST: 'my/host',
    });
  });

  it('the tables of the local run on the broker that is named', async () => {
    const { env } = await localSurroundings(URL_OF_RUN, {}, running(run(TABLES)));
    expect(env).toMatchObject(TABLES);
  });

  it.each([
    ['nothing is up', undefined, [], 'npm start -- --keep'],
    ['a broker is named without tables', 'amqp://one', [], 'set LAYOVER_REPLAY_TABLE'],
    ['the run is on another broker', 'amqp://one', [run(TABLES)], 'set LAYOVER_REPLAY_TABLE'],
    ['the run has no replay', undefined, [run({})], 'LAYOVER_AUDIT_TABLE missing'],
  ])('nothing when %s, and says the way out', async (_what, amqp, runs, message) => {
    const asked = localSurroundings(amqp, {}, running(...runs));
    await expect(asked).rejects.toThrow(OperatorError);
    await expect(asked).rejects.toThrow(message);
  });
});
