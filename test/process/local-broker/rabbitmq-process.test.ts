import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isListening } from '../../../infra/local/broker/ports.ts';
import { startRabbitmqProcess } from '../../../infra/local/broker/rabbitmq-process.ts';
import { FakeCommands } from '../../unit/local-broker/fixtures/fake-commands.ts';

/** Listens on the port of its last argument, as epmd does. */
const EPMD = `exec "${process.execPath}" -e 'require("net").createServer().listen(process.argv.at(-1), "127.0.0.1")' -- "$@"`;

let fakes: FakeCommands;
let lines: string[];
beforeEach(() => {
  fakes = new FakeCommands();
  lines = [];
});
afterEach(() => fakes.remove());

/** Tries to start a broker whose programs are these scripts, with its data in the fakes' folder. */
const start = (server: string, epmd = EPMD) =>
  startRabbitmqProcess(
    {
      serverScript: fakes.add('rabbitmq-server', server),
      epmd: fakes.add('epmd', epmd),
      hasManagement: false,
      hasShovel: false,
      env: { PATH: '/usr/bin:/bin' },
    },
    'path',
    { print: (line) => lines.push(line), env: { ...fakes.env, TMPDIR: fakes.root } },
  );
const dataFolders = () =>
  readdirSync(fakes.root).filter((name) => name.startsWith('layover-broker-'));
const epmdPorts = () =>
  fakes.calls.flatMap((call) => /^epmd .* -port (\d+)$/.exec(call)?.[1] ?? []).map(Number);

describe('a broker process that does not come up', () => {
  it('gives what it printed, and leaves neither its epmd nor its folder', async () => {
    await expect(start('echo "[error] no cookie, no broker"; exit 70')).rejects.toMatchObject({
      code: 'BROKER_CHOICE_FAILED',
      message: 'rabbitmq-server ended (exit 70): [error] no cookie, no broker',
    });

    expect(dataFolders()).toEqual([]);
    expect(await Promise.all(epmdPorts().map((port) => isListening(port)))).toEqual([false]);
  });

  it('is tried with other ports, thrice in all, when somebody has taken one', async () => {
    await expect(start('echo "Failed to start listener: eaddrinuse"; exit 1')).rejects.toThrow(
      'eaddrinuse',
    );

    expect(new Set(epmdPorts()).size).toBe(3);
    expect(lines).toEqual(Array(2).fill('  a port was taken meanwhile, trying others'));
    expect(dataFolders()).toEqual([]);
  });

  it('says so when its epmd does not start', async () => {
    await expect(start('sleep 60', 'echo "cannot bind"; exit 1')).rejects.toThrow(
      'epmd ended (exit 1): cannot bind',
    );
  });

  it('is given its whole environment and a folder of its own, and nothing of ours', async () => {
    process.env.RABBITMQ_NODENAME = 'production@db';
    try {
      await expect(start('echo "error: $RABBITMQ_NODENAME in $HOME"; exit 1')).rejects.toThrow(
        /error: layover-\d+@localhost in \S+\/layover-broker-\w+$/,
      );
    } finally {
      delete process.env.RABBITMQ_NODENAME;
    }
  });
});
