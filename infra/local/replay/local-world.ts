import { SWITCH_STATES, type SwitchState, stricter } from '../../../functions/replay/guards.ts';
import { createFileExporter } from '../../../functions/replay/outside/export-file.ts';
import { ALL_FLOWS } from '../../../functions/replay/outside/ssm-switch.ts';
import type { OutsideWorld } from '../../../functions/replay/outside/world.ts';
import {
  type AlarmsFile,
  type PollersFile,
  type SwitchFile,
  stateFiles,
  type WantedPollers,
} from './local-state.ts';
import { readyTotal } from './ready-total.ts';
import { readStateFile, writeStateFile } from './state-file.ts';

/**
 * What replay needs of AWS, as files in a folder of this machine: the kill switch, which pollers are to
 * read (the run that owns the folder obeys), which alarms are in alarm, and what was removed for good.
 * A file nobody has written yet means: all switched on, all quiet. Queue depths come from the broker itself.
 *
 * @param amqpUrl default: `AMQP_URL` of the environment; without either the management API is asked
 */
export function createLocalWorld(
  stateFolder: string,
  amqpUrl: string | undefined = process.env.AMQP_URL,
): OutsideWorld {
  const files = stateFiles(stateFolder);
  const known = async (flow: string) =>
    (await readStateFile<PollersFile>(files.pollers))?.[flow] ?? [];
  return {
    async killSwitch(flow) {
      const states = (await readStateFile<SwitchFile>(files.killSwitch)) ?? {};
      return stricter(stateOf(states[ALL_FLOWS]), stateOf(states[flow]));
    },
    async setSwitch(flow, state) {
      const states = (await readStateFile<SwitchFile>(files.killSwitch)) ?? {};
      await writeStateFile(files.killSwitch, { ...states, [flow ?? ALL_FLOWS]: state });
    },
    async alarmStates(names) {
      const loud = (await readStateFile<AlarmsFile>(files.alarms)) ?? [];
      return names.map((name) => ({ name, state: loud.includes(name) ? 'ALARM' : 'OK' }));
    },
    pollers: known,
    async setPollers(flow, enabled) {
      const wanted = (await readStateFile<WantedPollers>(files.wantedPollers)) ?? {};
      await writeStateFile(files.wantedPollers, { ...wanted, [flow]: enabled });
      const [there, underWay] = enabled ? ['Enabled', 'Enabling'] : ['Disabled', 'Disabling'];
      return (await known(flow)).map(({ id, state }) => ({
        id,
        state: state === there ? there : underWay,
      }));
    },
    exporter: createFileExporter(files.exports),
    ...(amqpUrl ? { queueTotal: (queue: string) => readyTotal(amqpUrl, queue) } : {}),
  };
}

function stateOf(text: string | undefined): SwitchState {
  if (text === undefined) return 'on';
  const state = SWITCH_STATES.find((known) => known === text);
  if (state !== undefined) return state;
  throw new Error(`switch.json says '${text}', which is none of ${SWITCH_STATES.join(', ')}`);
}
