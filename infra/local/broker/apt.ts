import { join } from 'node:path';

/** The one package asked for; all others follow from it. */
export const SERVER_PACKAGE = 'rabbitmq-server';

/**
 * Options that make apt work as a plain user: its own package lists and downloads in `folder`,
 * the machine's sources, keys and list of installed packages.
 */
export function privateAptOptions(folder: string): string[] {
  return [
    `Dir::State::Lists=${join(folder, 'lists')}`,
    `Dir::Cache=${join(folder, 'cache')}`,
    // apt would drop to the user _apt for downloads, which only root can.
    'APT::Sandbox::User=',
    'Acquire::Languages=none',
    'Acquire::Retries=1',
    'Acquire::http::Timeout=20',
    'Acquire::https::Timeout=20',
  ].flatMap((option) => ['-o', option]);
}

/**
 * Package names in the output of `apt-cache depends --recurse`: those that stand at the start of a line.
 * Lines of relations are indented, names in <…> are virtual.
 */
export function parseDependencies(output: string): string[] {
  const names = output.split('\n').filter((line) => /^[a-z0-9][a-z0-9+.:-]*$/.test(line));
  return [...new Set(names)];
}

/** Packages `apt-get --simulate install` would install: what this machine lacks. */
export function parseSimulation(output: string): string[] {
  return output.split('\n').flatMap((line) => /^Inst (\S+)/.exec(line)?.[1] ?? []);
}

/**
 * What to unpack for a broker beside the system: the server, all of its Erlang (also what the system has,
 * since an Erlang in two places doesn't work), and the shared libraries this machine lacks.
 * Not wanted: log rotation, user management, init scripts.
 */
export function packagesToUnpack(
  dependencies: readonly string[],
  missing: readonly string[],
): string[] {
  const erlang = dependencies.filter((name) => name.startsWith('erlang-'));
  const libraries = missing.filter((name) => name.startsWith('lib') && dependencies.includes(name));
  return [SERVER_PACKAGE, ...erlang, ...libraries];
}

/** The line of apt's output that tells a person most: its first error, else its last line. */
export function aptReason(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.find((line) => line.startsWith('E:')) ?? lines.at(-1) ?? 'apt said nothing';
}

/**
 * Debian's `erl` starts the Erlang of `/usr/lib/erlang` wherever it stands itself
 * (upstream's heeds `ERL_ROOTDIR`); this makes it heed the variable again.
 */
export function relocatableErl(script: string): string {
  return script.replaceAll(
    /^(\s*)ROOTDIR=(\/usr\/lib\/erlang)$/gm,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's variable, not ours
    '$1ROOTDIR="${ERL_ROOTDIR:-$2}"',
  );
}

/** Maintainer scripts call these to start and enable services. */
export const SERVICE_COMMANDS = [
  'deb-systemd-helper',
  'deb-systemd-invoke',
  'invoke-rc.d',
  'update-rc.d',
] as const;

/** The path dpkg gives its maintainer scripts by default (apt's `DPkg::Path`). */
export const DPKG_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * A stand-in for one of the service commands, put first on the path of one installation: it leaves RabbitMQ's and
 * epmd's services neither started nor enabled, and passes everything else on. Needs no policy file of the system's,
 * works with and without systemd, and is gone with its folder.
 */
export function serviceCommandStandIn(command: string): string {
  return `#!/bin/sh
case " $* " in
  *rabbitmq-server*|*" epmd"*) exit 0 ;;
esac
PATH=${DPKG_PATH}
export PATH
command -v ${command} >/dev/null || exit 0
exec ${command} "$@"
`;
}
