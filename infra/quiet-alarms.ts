import type { Flow } from '../functions/policy/types.ts';
import { ALARMS, type AlarmSpec } from './alarm-table.ts';
import type { Environment } from './environment-types.ts';
import { resourceName } from './settings.ts';

/** Name of an alarm of the table, without its environment. */
export function alarmPart({ id }: Pick<AlarmSpec, 'id'>, flow?: Pick<Flow, 'name'>): string {
  return flow === undefined ? id : `${flow.name}-${id}`;
}

/**
 * Alarms of our own that keep automatic replay from moving anything of a flow, by flow; those a flow
 * names itself (`replay.quietAlarms`) come on top.
 */
export function quietAlarms(
  environment: Environment,
  flows: readonly Pick<Flow, 'name'>[],
): Readonly<Record<string, readonly string[]>> {
  const stopping = (ALARMS as readonly AlarmSpec[]).filter(({ stopsReplay }) => stopsReplay);
  return Object.fromEntries(
    flows.map((flow) => [
      flow.name,
      stopping.map((spec) => resourceName(environment, alarmPart(spec, flow))),
    ]),
  );
}
