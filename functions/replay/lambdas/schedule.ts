import type { Flow } from '../../policy/types.ts';
import { deployedSettings, openDeployed } from '../open-deployed.ts';
import { scheduleHandler } from '../schedule-handler.ts';

/** `layover-<environment>-replay-schedule`, called every few minutes; its bundle gives it the flows. */
export const lambda = (flows: readonly Flow<never>[]) =>
  scheduleHandler(flows, () => {
    const settings = deployedSettings();
    return { ports: openDeployed(settings), options: settings };
  });
