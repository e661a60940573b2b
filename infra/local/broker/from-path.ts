import { ChoiceFailedError, reasonOf } from './errors.ts';
import { findInstallation } from './installation.ts';
import { startRabbitmqProcess } from './rabbitmq-process.ts';
import type { ChoiceContext, RunningBroker } from './types.ts';

/** A process of the `rabbitmq-server` that is installed here, apart from any service of the system. */
export async function fromPath(context: ChoiceContext): Promise<RunningBroker> {
  if (process.platform === 'win32') {
    throw new ChoiceFailedError('not supported on Windows');
  }
  let installation: Awaited<ReturnType<typeof findInstallation>>;
  try {
    installation = await findInstallation(context.env);
  } catch (error) {
    throw new ChoiceFailedError(reasonOf(error), { cause: error });
  }
  if (installation === undefined) {
    throw new ChoiceFailedError('no rabbitmq-server on the PATH');
  }
  context.print(`  starting ${installation.serverScript}`);
  return startRabbitmqProcess(installation, 'path', context);
}
