import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installPackages } from '../../../infra/local/broker/install-packages.ts';
import { FakeCommands } from './fixtures/fake-commands.ts';

let fakes: FakeCommands;
let lines: string[];
beforeEach(() => {
  fakes = new FakeCommands();
  lines = [];
});
afterEach(() => fakes.remove());

const install = (signal?: AbortSignal) =>
  installPackages({ print: (line) => lines.push(line), env: fakes.env, signal });

describe('installPackages', () => {
  it('reads the lists, fetches, then installs, asking nobody', async () => {
    fakes.add('apt-get', '[ "$DEBIAN_FRONTEND" = noninteractive ]');

    await install();

    expect(fakes.calls.map((call) => call.replace(/ -(y|q|o \S+|-no-\S+)/g, ''))).toEqual([
      'apt-get update',
      'apt-get --download-only install rabbitmq-server',
      'apt-get install rabbitmq-server',
    ]);
    expect(fakes.calls.slice(1).every((call) => call.includes(' -y '))).toBe(true);
  });

  it('puts the stand-ins for service commands before the real ones, for dpkg alone, and removes them', async () => {
    // The folder must be there while apt runs.
    fakes.add(
      'apt-get',
      `for word in "$@"; do case "$word" in
        DPkg::Path=*) folder=\${word#DPkg::Path=}; test -x "\${folder%%:*}/invoke-rc.d" || exit 9 ;;
      esac; done`,
    );

    await install();

    const path = /DPkg::Path=(\S+)/.exec(fakes.calls.at(-1) ?? '')?.[1] ?? '';
    expect(path).toMatch(/^\/\S+:\/usr\/sbin:\/usr\/bin:\/sbin:\/bin$/);
    expect(existsSync(path.split(':')[0] ?? '')).toBe(false);
  });

  it('goes on when one source of several is out of order', async () => {
    fakes.add('apt-get', 'case "$*" in *update*) echo "E: 404 somewhere" >&2; exit 100 ;; esac');

    await install();

    expect(lines).toContain('  reading the package lists: E: 404 somewhere');
    expect(fakes.calls).toHaveLength(3);
  });

  it('gives the reason of apt when it fails', async () => {
    fakes.add(
      'apt-get',
      'case "$*" in *install*) echo "E: Could not open lock file" >&2; exit 100 ;; esac',
    );

    await expect(install()).rejects.toThrow('fetching packages: E: Could not open lock file');
  });

  it('ends without installing when it is interrupted before', async () => {
    fakes.add('apt-get', '');

    await expect(install(AbortSignal.abort(new Error('Ctrl-C')))).rejects.toThrow('Ctrl-C');

    expect(fakes.calls).toEqual([]);
  });
});
