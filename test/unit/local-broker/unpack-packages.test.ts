import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpackPackages } from '../../../infra/local/broker/unpack-packages.ts';
import { FakeCommands } from './fixtures/fake-commands.ts';

/** An apt-get that finds and downloads, and a dpkg that unpacks: enough to follow the way through. */
const APT_GET = `case "$*" in
  *" update"*) exit 100 ;; # one source of several is out of order
  *--simulate*) echo 'Inst libssl3 (3.0)'; echo 'Inst logrotate (3.2)' ;;
  *" download "*) touch rabbitmq-server.deb erlang-base.deb libssl3.deb ;;
esac`;
const APT_CACHE = "printf '%s\\n' rabbitmq-server erlang-base erlang-crypto libssl3 logrotate";
const DPKG = `mkdir -p "$3/usr/lib/rabbitmq/bin" "$3/usr/lib/erlang/bin"
touch "$3/usr/lib/rabbitmq/bin/rabbitmq-server" "$3/$2"
echo 'ROOTDIR=/usr/lib/erlang' >"$3/usr/lib/erlang/bin/erl"`;

let fakes: FakeCommands;
let lines: string[];
beforeEach(() => {
  fakes = new FakeCommands();
  lines = [];
  fakes.add('apt-get', APT_GET);
  fakes.add('apt-cache', APT_CACHE);
  fakes.add('dpkg', DPKG);
});
afterEach(() => fakes.remove());

const unpack = () => unpackPackages({ print: (line) => lines.push(line), env: fakes.env });
const cache = () => join(fakes.home, '.cache/layover');

describe('unpackPackages', () => {
  it('fetches the server, its Erlang and missing libraries, and unpacks them all', async () => {
    const { root, fresh } = await unpack();

    expect(fresh).toBe(true);
    expect(fakes.calls.find((call) => call.includes(' download '))).toMatch(
      / download rabbitmq-server erlang-base erlang-crypto libssl3$/,
    );
    expect(readdirSync(root)).toEqual([
      'erlang-base.deb',
      'libssl3.deb',
      'rabbitmq-server.deb',
      'usr',
    ]);
    expect(readFileSync(join(root, 'usr/lib/erlang/bin/erl'), 'utf8')).toContain('ERL_ROOTDIR');
  });

  it('tells what it does, since it takes a while', async () => {
    await unpack();

    expect(lines).toEqual([
      '  reading the package lists …',
      '  fetching 4 packages, about 35 MB …',
      '  unpacking …',
    ]);
  });

  it('asks nobody again when it has them', async () => {
    const first = await unpack();
    const callsOfFirst = fakes.calls.length;

    const second = await unpack();

    expect(second).toEqual({ root: first.root, fresh: false });
    expect(fakes.calls.length).toBe(callsOfFirst);
  });

  it('leaves one whole copy when two checkouts do it at the same time', async () => {
    const [one, other] = await Promise.all([unpack(), unpack()]);

    expect(one.root).toBe(other.root);
    expect(readdirSync(cache())).toHaveLength(1);
  });

  it('gives the reason of apt and leaves nothing behind when there is no such package', async () => {
    fakes.add('apt-cache', 'echo "E: No packages found" >&2; exit 100');

    await expect(unpack()).rejects.toMatchObject({
      code: 'BROKER_CHOICE_FAILED',
      message: 'looking for rabbitmq-server: E: No packages found',
    });
    expect(readdirSync(cache())).toEqual([]);
  });

  it('takes no half-done work for a whole: what cannot be unpacked is fetched again', async () => {
    fakes.add('dpkg', 'echo "dpkg-deb: error: no space left" >&2; exit 2');
    await expect(unpack()).rejects.toThrow('no space left');
    fakes.add('dpkg', DPKG);

    expect((await unpack()).fresh).toBe(true);
  });

  it('removes what runs that were killed left, but not the work of one that is at it', async () => {
    const [abandoned, current] = ['fetch-old', 'fetch-new'].map((name) => join(cache(), name));
    if (abandoned === undefined || current === undefined) throw new Error('unreachable');
    mkdirSync(abandoned, { recursive: true });
    mkdirSync(current);
    const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(abandoned, twoHoursAgo, twoHoursAgo);

    await unpack();

    expect(existsSync(abandoned)).toBe(false);
    expect(existsSync(current)).toBe(true);
  });
});
