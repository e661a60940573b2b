import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  findInstallation,
  unpackedInstallation,
} from '../../../infra/local/broker/installation.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'layover-test-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function executable(path: string, text = '#!/bin/sh\n'): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  chmodSync(full, 0o755);
  return full;
}

describe('findInstallation', () => {
  it('takes the first on the PATH, with its Erlang and its plug-ins', async () => {
    const server = executable('opt/sbin/rabbitmq-server');
    const epmd = executable('erlang/bin/epmd');
    executable('erlang/bin/erl');
    mkdirSync(join(root, 'opt/plugins/rabbitmq_management-4.3.6'), { recursive: true });

    const found = await findInstallation({ PATH: `${root}/opt/sbin:${root}/erlang/bin` });

    expect(found).toMatchObject({ serverScript: server, epmd, hasManagement: true });
    expect(found?.env.PATH).toContain(`${root}/erlang/bin`);
  });

  it('follows a link to find the plug-ins', async () => {
    executable('cellar/sbin/rabbitmq-server');
    mkdirSync(join(root, 'bin'));
    symlinkSync(join(root, 'cellar/sbin/rabbitmq-server'), join(root, 'bin/rabbitmq-server'));
    mkdirSync(join(root, 'cellar/plugins/rabbitmq_management-4.3.6.ez'), { recursive: true });
    mkdirSync(join(root, 'cellar/plugins/rabbitmq_shovel-4.3.6.ez'), { recursive: true });
    executable('bin/epmd');
    executable('bin/erl');

    expect(await findInstallation({ PATH: `${root}/bin` })).toMatchObject({
      hasManagement: true,
      hasShovel: true,
    });
  });

  it('goes without management when only its agent is there', async () => {
    executable('opt/sbin/rabbitmq-server');
    executable('opt/sbin/epmd');
    executable('opt/sbin/erl');
    mkdirSync(join(root, 'opt/plugins/rabbitmq_management_agent-4.3.6'), { recursive: true });

    expect(await findInstallation({ PATH: `${root}/opt/sbin` })).toMatchObject({
      hasManagement: false,
    });
  });

  it('starts the script behind a wrapper that would switch to the system user', async () => {
    const own = executable('usr/lib/rabbitmq/bin/rabbitmq-server');
    executable(
      'usr/sbin/rabbitmq-server',
      `#!/bin/sh\n${own} "$@" > /var/log\necho "Only root or rabbitmq should run it"\n`,
    );
    executable('usr/sbin/epmd');
    executable('usr/sbin/erl');

    expect(await findInstallation({ PATH: `${root}/usr/sbin` })).toMatchObject({
      serverScript: own,
    });
  });
});

describe('unpackedInstallation', () => {
  it('finds its own Erlang and libraries, not those of the system', async () => {
    const server = executable('usr/lib/rabbitmq/bin/rabbitmq-server');
    const epmd = executable('usr/lib/erlang/bin/epmd');
    executable('usr/lib/erlang/bin/erl');
    mkdirSync(join(root, 'usr/lib/x86_64-linux-gnu'));

    expect(await unpackedInstallation(root)).toEqual({
      serverScript: server,
      epmd,
      hasManagement: false,
      hasShovel: false,
      env: {
        PATH: `${root}/usr/lib/erlang/bin:/usr/bin:/bin`,
        ERL_ROOTDIR: `${root}/usr/lib/erlang`,
        LD_LIBRARY_PATH: `${root}/usr/lib/x86_64-linux-gnu`,
      },
    });
  });

  it('says what is missing when it is not whole, whatever Erlang the system has', async () => {
    executable('usr/lib/rabbitmq/bin/rabbitmq-server');
    executable('usr/lib/erlang/bin/erl');

    await expect(unpackedInstallation(root)).rejects.toThrow("not Erlang's epmd");
  });
});
