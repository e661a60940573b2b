import { rename, rm } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { ChoiceFailedError, reasonOf } from './errors.ts';
import { installPackages } from './install-packages.ts';
import { findExecutable, findInstallation, unpackedInstallation } from './installation.ts';
import { startRabbitmqProcess } from './rabbitmq-process.ts';
import type { ChoiceContext, RunningBroker } from './types.ts';
import { unpackPackages } from './unpack-packages.ts';

/**
 * A broker of Debian's or Ubuntu's own packages: installed when we are root,
 * else fetched and unpacked into a folder of this user's. No service of the system is started either way.
 */
export async function fromPackages(context: ChoiceContext): Promise<RunningBroker> {
  const folders = [...(context.env.PATH ?? '').split(delimiter), '/usr/bin'];
  if ((await findExecutable('apt-get', folders)) === undefined) {
    throw new ChoiceFailedError('no apt-get here (not Debian or Ubuntu)');
  }
  if (process.getuid?.() === 0) {
    try {
      await installPackages(context);
      const installation = await findInstallation(context.env);
      if (installation) return await startRabbitmqProcess(installation, 'packages', context);
      context.print('  installed, but no rabbitmq-server is to be found');
    } catch (error) {
      context.signal?.throwIfAborted();
      context.print(`  ${reasonOf(error)}`);
    }
    context.print('  unpacking it beside the system instead');
  }
  return await fromUnpacked(context);
}

async function fromUnpacked(context: ChoiceContext): Promise<RunningBroker> {
  const { root, fresh } = await unpackPackages(context);
  try {
    return await startRabbitmqProcess(await unpackedInstallation(root), 'packages', context);
  } catch (error) {
    context.signal?.throwIfAborted();
    if (fresh) throw error;
    // What an earlier run left may no longer fit this machine; fetched anew it does.
    context.print(`  ${reasonOf(error)}; fetching the packages anew`);
    const old = `${root}.old-${process.pid}`;
    await rename(root, old);
    await rm(old, { recursive: true, force: true });
    const again = await unpackPackages(context);
    return await startRabbitmqProcess(await unpackedInstallation(again.root), 'packages', context);
  }
}
