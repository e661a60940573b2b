import { GetEventSourceMappingCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { FlowMappings } from '../consumer/mapping-setting.ts';

/** What Lambda says of one event source mapping. */
export type MappingState =
  | {
      readonly kind: 'known';
      readonly id: string;
      /** `Enabled`, `Disabled`, `Updating`…; `Deleted` when there is none of that id. */
      readonly state: string;
      /** `OK`, `No records processed` or `PROBLEM: …`; absent until something was polled. */
      readonly lastResult?: string;
      /** Why it came into this state. */
      readonly reason?: string;
    }
  | { readonly kind: 'unknown'; readonly id: string; readonly why: string };

/** By flow, in the order of the ids. */
export type MappingStates = Readonly<Record<string, readonly MappingState[]>>;

export interface ReadMappingsOptions {
  /** Patience for all of them together, in milliseconds. What is not read by then is unknown. */
  readonly timeoutMs: number;
}

let client: LambdaClient | undefined;

/**
 * Asks Lambda for the state of every mapping, one after the other: its control plane takes 15
 * requests a second for the whole account, which deployments need as well. Never throws; a state
 * that can't be read is unknown, which is not the same as off.
 */
export async function readMappingStates(
  mappings: FlowMappings,
  { timeoutMs }: ReadMappingsOptions,
): Promise<MappingStates> {
  const abortSignal = AbortSignal.timeout(timeoutMs);
  const found: Record<string, MappingState[]> = {};
  for (const [flow, ids] of Object.entries(mappings)) {
    const states: MappingState[] = [];
    for (const id of ids) states.push(await readState(id, abortSignal));
    found[flow] = states;
  }
  return found;
}

async function readState(id: string, abortSignal: AbortSignal): Promise<MappingState> {
  client ??= new LambdaClient({
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: 2_000,
      requestTimeout: 3_000,
      throwOnRequestTimeout: true,
    },
  });
  try {
    const answer = await client.send(new GetEventSourceMappingCommand({ UUID: id }), {
      abortSignal,
    });
    const { State, LastProcessingResult, StateTransitionReason } = answer;
    if (State === undefined) return { kind: 'unknown', id, why: 'The answer has no state.' };
    return {
      kind: 'known',
      id,
      state: State,
      ...(LastProcessingResult ? { lastResult: LastProcessingResult } : {}),
      ...(StateTransitionReason ? { reason: StateTransitionReason } : {}),
    };
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'ResourceNotFoundException') return { kind: 'known', id, state: 'Deleted' };
    return { kind: 'unknown', id, why: `${name}: ${message}` };
  }
}
