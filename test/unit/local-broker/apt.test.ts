import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  aptReason,
  packagesToUnpack,
  parseDependencies,
  parseSimulation,
  privateAptOptions,
  relocatableErl,
  SERVICE_COMMANDS,
  serviceCommandStandIn,
} from '../../../infra/local/broker/apt.ts';

const DEPENDS = `rabbitmq-server
  Depends: adduser
  Depends: erlang-base
    erlang-base-hipe
 |Depends: <lsb-base>
  Depends: socat
adduser
  Depends: passwd
<lsb-base>
erlang-base
  Depends: libc6
erlang-crypto
  Depends: libssl3
libc6
libssl3
socat
erlang-base
`;

const SIMULATION = `NOTE: This is only a simulation!
Reading package lists...
The following NEW packages will be installed:
  erlang-base libssl3 libpopt0 rabbitmq-server
Inst libpopt0 (1.19+dfsg-1 Debian:12.15/oldstable [amd64])
Inst libssl3 [3.0.1] (3.0.17-1 Debian:12.15/oldstable [amd64])
Inst erlang-base (1:25.2.3+dfsg-1 Debian:12.15/oldstable [amd64])
Inst rabbitmq-server (3.10.8-1.1 Debian:12.15/oldstable [all])
Conf libssl3 (3.0.17-1 Debian:12.15/oldstable [amd64])
`;

describe('what apt printed', () => {
  it('gives each package at the start of a line once, and no virtual or indented one', () => {
    expect(parseDependencies(DEPENDS)).toEqual([
      'rabbitmq-server',
      'adduser',
      'erlang-base',
      'erlang-crypto',
      'libc6',
      'libssl3',
      'socat',
    ]);
  });

  it('gives the packages a simulation would install, not those it would configure', () => {
    expect(parseSimulation(SIMULATION)).toEqual([
      'libpopt0',
      'libssl3',
      'erlang-base',
      'rabbitmq-server',
    ]);
  });

  it('gives nothing for a simulation that failed', () => {
    expect(parseSimulation('E: Unable to locate package rabbitmq-server\n')).toEqual([]);
  });

  it.each([
    ['Reading…\nE: Unable to locate package x\nmore', 'E: Unable to locate package x'],
    ['W: one\nW: two\n', 'W: two'],
    ['', 'apt said nothing'],
  ])('gives a person the line that tells most of %j', (output, reason) => {
    expect(aptReason(output)).toBe(reason);
  });
});

describe('what is unpacked beside the system', () => {
  it('is the server, all of Erlang, and the libraries that are missing here', () => {
    const names = packagesToUnpack(parseDependencies(DEPENDS), parseSimulation(SIMULATION));

    expect(names).toEqual(['rabbitmq-server', 'erlang-base', 'erlang-crypto', 'libssl3']);
  });

  it('includes an Erlang the system has already, since two halves make no whole', () => {
    const names = packagesToUnpack(parseDependencies(DEPENDS), ['rabbitmq-server']);

    expect(names).toContain('erlang-base');
  });

  it('leaves out users, log rotation and init scripts', () => {
    const names = packagesToUnpack(['logrotate', 'adduser', 'libc6'], ['logrotate', 'libpopt0']);

    expect(names).toEqual(['rabbitmq-server']);
  });

  it('keeps apt out of the folders only root may write', () => {
    const options = privateAptOptions('/cache/x');

    expect(options.filter((option) => option !== '-o')).toContain(
      'Dir::State::Lists=/cache/x/lists',
    );
    expect(options.filter((_, index) => index % 2 === 0).every((option) => option === '-o')).toBe(
      true,
    );
  });
});

describe('relocatableErl', () => {
  const debians = 'if x\nthen\n    ROOTDIR=/usr/lib/erlang\nfi\nBINDIR="$ROOTDIR/erts/bin"\n';

  it('makes the start script of Debian heed ERL_ROOTDIR', () => {
    const script = `${relocatableErl(debians)}echo "$BINDIR"`;

    const moved = execFileSync('sh', ['-c', script.replace('if x', 'if true')], {
      env: { ERL_ROOTDIR: '/elsewhere' },
    });
    const unmoved = execFileSync('sh', ['-c', script.replace('if x', 'if true')], { env: {} });

    expect(`${moved}`.trim()).toBe('/elsewhere/erts/bin');
    expect(`${unmoved}`.trim()).toBe('/usr/lib/erlang/erts/bin');
  });

  it('changes nothing else', () => {
    const upstream = 'ROOTDIR="$ERL_ROOTDIR"\nDYN=/usr/lib/erlang\n';

    expect(relocatableErl(upstream)).toBe(upstream);
  });
});

describe('the stand-ins for service commands', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'layover-test-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** Runs the stand-in of `command`, with a real one that says it was called. */
  const call = (command: string, args: readonly string[]): string => {
    const real = join(folder, 'real');
    writeFileSync(real, '#!/bin/sh\necho "called $*"\n');
    chmodSync(real, 0o755);
    const standIn = join(folder, 'stand-in');
    const script = serviceCommandStandIn(command);
    writeFileSync(
      standIn,
      script.replace(`exec ${command}`, `exec ${real}`).replace('command -v', ': '),
    );
    chmodSync(standIn, 0o755);
    return execFileSync(standIn, args).toString().trim();
  };

  it.each([
    ['invoke-rc.d', ['rabbitmq-server', 'start']],
    ['deb-systemd-invoke', ['start', 'rabbitmq-server.service']],
    ['deb-systemd-helper', ['enable', 'rabbitmq-server.service']],
    ['deb-systemd-invoke', ['start', 'epmd.socket']],
    ['update-rc.d', ['rabbitmq-server', 'defaults']],
  ])('%s %j does nothing', (command, args) => {
    expect(call(command, args)).toBe('');
  });

  it.each([
    ['deb-systemd-helper', ['enable', 'logrotate.timer']],
    ['invoke-rc.d', ['cron', 'restart']],
  ])('%s %j is passed on', (command, args) => {
    expect(call(command, args)).toBe(`called ${args.join(' ')}`);
  });

  it('look for the real command in the system folders only, so that none calls itself', () => {
    for (const command of SERVICE_COMMANDS) {
      expect(serviceCommandStandIn(command)).toContain('\nPATH=/usr/sbin:/usr/bin:/sbin:/bin\n');
    }
  });
});
