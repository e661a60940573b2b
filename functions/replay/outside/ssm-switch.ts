import { GetParametersCommand, PutParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { SWITCH_STATES, type SwitchState, stricter } from '../guards.ts';
import type { OutsideWorld } from './world.ts';

/** Name of the parameter that holds for all flows. No flow may be named so. */
export const ALL_FLOWS = 'all';

/**
 * The kill switch in SSM: `<prefix>/all`, which the deployment creates, and `<prefix>/<flow>`, which exists
 * once somebody has switched that flow. The stricter one counts. Never cached: a switch that is thrown is
 * obeyed by the next slice.
 */
export function createSsmSwitch(
  client: SSMClient,
  prefix: string,
): Pick<OutsideWorld, 'killSwitch' | 'setSwitch'> {
  const nameOf = (flow: string) => `${prefix}/${flow}`;
  return {
    async killSwitch(flow) {
      const Names = [nameOf(ALL_FLOWS), nameOf(flow)];
      const { Parameters = [] } = await client.send(new GetParametersCommand({ Names }));
      const [all, own] = Names.map((name) => Parameters.find(({ Name }) => Name === name)?.Value);
      if (all === undefined) throw new Error(`the parameter ${nameOf(ALL_FLOWS)} does not exist`);
      return stricter(stateOf(all), own === undefined ? 'on' : stateOf(own));
    },
    async setSwitch(flow, state) {
      const Name = nameOf(flow ?? ALL_FLOWS);
      await client.send(
        new PutParameterCommand({ Name, Value: state, Type: 'String', Overwrite: true }),
      );
    },
  };
}

function stateOf(text: string): SwitchState {
  const state = SWITCH_STATES.find((known) => known === text);
  if (state !== undefined) return state;
  throw new Error(`the kill switch says '${text}', which is none of ${SWITCH_STATES.join(', ')}`);
}
