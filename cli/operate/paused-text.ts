import type { Operator } from '../operator/operator.ts';
import { layover } from './commands.ts';

/**
 * What to know of a flow nobody reads from: what is replayed to it waits. Undefined when it is read from,
 * or when that can't be known: the switch that was asked for is set either way.
 */
export async function pausedText(operator: Operator, flow: string): Promise<string | undefined> {
  const answer = await operator.ask('status', { flow }).catch(() => undefined);
  const pollers = answer?.[0]?.pollers;
  if (pollers === undefined || 'unknown' in pollers) return undefined;
  const states = pollers.map(({ state }) => state).filter((state) => !READING.includes(state));
  if (states.length === 0) return undefined;
  const resume = layover(`resume ${flow} --reason '…'`, operator.flags);
  return `${flow} is paused: its pollers are ${[...new Set(states)].join(', ')}. What is replayed waits in its queue until:  ${resume}`;
}

/** As Lambda names them; one that is being changed reads on. */
const READING = ['Enabled', 'Enabling', 'Updating', 'Creating', 'unknown'];
