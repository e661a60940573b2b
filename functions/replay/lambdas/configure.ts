import type { Flow } from '../../policy/types.ts';
import { openDeployed } from '../open-deployed.ts';
import { operatorHandler } from '../operator-handler.ts';

/** `layover-<environment>-replay-configure`: switches automatic replay, and the reading of flows. Its bundle gives it the flows. */
export const lambda = (flows: readonly Flow<never>[]) =>
  operatorHandler('configure', flows, () => openDeployed());
