import type { Flow } from '../../policy/types.ts';
import { openDeployed } from '../open-deployed.ts';
import { operatorHandler } from '../operator-handler.ts';

/** `layover-<environment>-replay-bodies`: hands out bodies of parked messages. Its bundle gives it the flows. */
export const lambda = (flows: readonly Flow<never>[]) =>
  operatorHandler('bodies', flows, () => openDeployed());
