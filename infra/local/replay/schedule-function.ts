import { scaleFlow } from '../../../functions/policy/scale-flow.ts';
import type { Flow } from '../../../functions/policy/types.ts';
import { openReplay } from '../../../functions/replay/open-replay.ts';
import { scheduleHandler } from '../../../functions/replay/schedule-handler.ts';
import { parseReplaySettings } from '../../../functions/replay/settings.ts';
import { createLocalWorld } from './local-world.ts';

/**
 * The schedule's function in a local run: the deployed one's own handler, in a world of files. The ages
 * a flow states are as much shorter as the run's time is faster.
 */
export const lambda = (flows: readonly Flow<never>[]) => {
  const settings = parseReplaySettings(process.env);
  const folder = process.env.LAYOVER_LOCAL_STATE;
  if (!folder) throw new Error('LAYOVER_LOCAL_STATE is missing; a local run sets it.');
  const scaled = flows.map(
    (flow) => scaleFlow(flow as unknown as Flow, settings.timeScale) as unknown as Flow<never>,
  );
  return scheduleHandler(scaled, () => ({
    ports: openReplay(settings, createLocalWorld(folder)),
    options: settings,
  }));
};
