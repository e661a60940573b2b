import { constants } from 'node:fs';
import { access, readdir, readFile, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { Installation } from './rabbitmq-config.ts';

/** System folders that a plain user's PATH often lacks. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/sbin', '/usr/bin', '/bin'];

/**
 * The `rabbitmq-server` of the PATH (and the usual system folders), or undefined.
 * Throws when it is there but its Erlang isn't.
 */
export async function findInstallation(env: NodeJS.ProcessEnv): Promise<Installation | undefined> {
  const folders = [...(env.PATH ?? '').split(delimiter).filter(Boolean), ...SYSTEM_FOLDERS];
  const found = await findExecutable('rabbitmq-server', folders);
  if (found === undefined) return undefined;
  return describeInstallation(await behindWrapper(found), folders, {
    PATH: folders.join(delimiter),
  });
}

/** An installation unpacked from Debian's packages into `root`. */
export async function unpackedInstallation(root: string): Promise<Installation> {
  const erlang = join(root, 'usr/lib/erlang');
  const libraries = await libraryFolders(root);
  return describeInstallation(
    join(root, 'usr/lib/rabbitmq/bin/rabbitmq-server'),
    [join(erlang, 'bin')],
    {
      PATH: [join(erlang, 'bin'), '/usr/bin', '/bin'].join(delimiter),
      // Erlang's own scripts name the folder they were packaged for.
      ERL_ROOTDIR: erlang,
      ...(libraries.length > 0 ? { LD_LIBRARY_PATH: libraries.join(':') } : {}),
    },
  );
}

async function describeInstallation(
  serverScript: string,
  erlangFolders: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Installation> {
  const epmd = await findExecutable('epmd', erlangFolders);
  const erl = await findExecutable('erl', erlangFolders);
  if (epmd === undefined || erl === undefined) {
    throw new Error(`${serverScript} is there, but not Erlang's ${erl ? 'epmd' : 'erl'}`);
  }
  const home = dirname(dirname(await realpath(serverScript)));
  const plugins = await readdir(join(home, 'plugins')).catch((): string[] => []);
  return {
    serverScript,
    epmd,
    hasManagement: plugins.some((name) => /^rabbitmq_management-\d/.test(name)),
    hasShovel: plugins.some((name) => /^rabbitmq_shovel-\d/.test(name)),
    env,
  };
}

/**
 * Debian's and Ubuntu's `/usr/sbin/rabbitmq-server` switches to the system's user and its log files;
 * the server's own script stands beside it.
 */
async function behindWrapper(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const own = /\/\S*\/rabbitmq\/bin\/rabbitmq-server\b/.exec(text)?.[0];
  const wrapper = own ?? '/usr/lib/rabbitmq/bin/rabbitmq-server';
  return /Only root or rabbitmq/.test(text) && (await isExecutable(wrapper)) ? wrapper : path;
}

/** The first folder's executable of that name, or undefined. */
export async function findExecutable(
  name: string,
  folders: readonly string[],
): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Shared libraries that came with the packages: `usr/lib/<machine>` and `lib/<machine>`. */
async function libraryFolders(root: string): Promise<string[]> {
  const folders: string[] = [];
  for (const parent of ['usr/lib', 'lib']) {
    for (const name of await readdir(join(root, parent)).catch((): string[] => [])) {
      if (/^[\w]+-linux-gnu/.test(name)) folders.push(join(root, parent, name));
    }
  }
  return folders;
}
