import { join } from 'node:path';
import type { SwitchState } from '../../../functions/replay/guards.ts';
import type { PollerState } from '../../../functions/replay/outside/world.ts';

/** What the files of a local run's state folder hold. People may write them with an editor, too. */

/** `switch.json`: the kill switch by flow, `all` for every flow. Who is not named is `on`. */
export type SwitchFile = Readonly<Record<string, SwitchState>>;

/** `pollers-wanted.json`: whether a flow's pollers are to read, by flow. Who is not named is to. */
export type WantedPollers = Readonly<Record<string, boolean>>;

/** `pollers.json`: what the run's pollers are doing, by flow; written by the run only. */
export type PollersFile = Readonly<Record<string, readonly PollerState[]>>;

/** `alarms.json`: names of the alarms that are in alarm. All others are quiet. */
export type AlarmsFile = readonly string[];

export function stateFiles(folder: string) {
  return {
    killSwitch: join(folder, 'switch.json'),
    wantedPollers: join(folder, 'pollers-wanted.json'),
    pollers: join(folder, 'pollers.json'),
    alarms: join(folder, 'alarms.json'),
    exports: join(folder, 'exports'),
  } as const;
}
