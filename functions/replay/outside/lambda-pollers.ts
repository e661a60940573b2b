import {
  GetEventSourceMappingCommand,
  type LambdaClient,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import type { FlowMappings } from '../../consumer/mapping-setting.ts';
import { type OutsideWorld, type PollerState, PollersError } from './world.ts';

/**
 * The pollers of a flow are its event source mappings. One after the other: Lambda's control plane
 * takes 15 requests a second for the whole account.
 */
export function createLambdaPollers(
  client: LambdaClient,
  mappings: FlowMappings,
): Pick<OutsideWorld, 'pollers' | 'setPollers'> {
  const idsOf = (flow: string) => mappings[flow] ?? [];
  return {
    async pollers(flow) {
      const states: PollerState[] = [];
      for (const id of idsOf(flow)) {
        const { State } = await client.send(new GetEventSourceMappingCommand({ UUID: id }));
        states.push({ id, state: State ?? 'unknown' });
      }
      return states;
    },
    async setPollers(flow, enabled) {
      const states: PollerState[] = [];
      const refused: unknown[] = [];
      for (const UUID of idsOf(flow)) {
        try {
          const command = new UpdateEventSourceMappingCommand({ UUID, Enabled: enabled });
          const { State } = await client.send(command);
          states.push({ id: UUID, state: State ?? 'unknown' });
        } catch (error) {
          // The others are switched all the same: half a pause holds more back than none.
          refused.push(new Error(`mapping ${UUID}: ${error}`, { cause: error }));
        }
      }
      if (refused.length === 0) return states;
      throw new PollersError(
        refused,
        `Not all pollers of ${flow} are switched ${enabled ? 'on' : 'off'}; ${refused.join('; ')}`,
        states,
      );
    },
  };
}
