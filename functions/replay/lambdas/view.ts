import type { Flow } from '../../policy/types.ts';
import { openDeployed } from '../open-deployed.ts';
import { operatorHandler } from '../operator-handler.ts';

/** `layover-<environment>-replay-view`: shows, and changes nothing. Its bundle gives it the flows. */
export const lambda = (flows: readonly Flow<never>[]) =>
  operatorHandler('view', flows, () => openDeployed());
