import type { Message } from '../../message/types.ts';
import type { Flow } from '../../policy/types.ts';
import { ReplayError } from '../errors.ts';
import type { GuardName } from '../guards.ts';
import { loadMemory } from '../memory.ts';
import { automaticGuards } from '../message-guards.ts';
import type { ReplayPorts } from '../ports.ts';
import { Summariser } from '../summary.ts';
import { survey } from '../survey.ts';
import type { ParkedFacts, Summary } from '../types.ts';

/** What is parked, by class and signature, with what automatic replay says of it. */
export async function parked(ports: ReplayPorts, flow: Flow<never>) {
  const nowMs = ports.now();
  const memory = await loadMemory(ports, flow);
  const summariser = new Summariser(nowMs);
  const { depth, scanned } = await survey(ports, flow, (facts) => {
    summariser.add(facts, false, automaticGuards(facts, flow.replay, memory, nowMs));
    return 'more';
  });
  const summary: Summary = summariser.summary();
  return { flow: flow.name, window: { depth, scanned, complete: scanned >= depth }, ...summary };
}

/** One parked message: its headers, and what automatic replay says of it. Not its body. */
export async function show(ports: ReplayPorts, flow: Flow<never>, messageId: string) {
  const { facts, message } = await find(ports, flow, messageId);
  const memory = await loadMemory(ports, flow);
  const automatic = automaticGuards(facts, flow.replay, memory, ports.now());
  const { body: content, ...rest } = message;
  const guard: GuardName | undefined = automatic.holds ? undefined : automatic.guard;
  return {
    flow: flow.name,
    facts,
    message: { ...rest, bytes: content.length },
    automatic: {
      taken: automatic.holds,
      guard,
      why: automatic.holds ? undefined : automatic.because,
    },
  };
}

/** The body of one parked message. */
export async function body(ports: ReplayPorts, flow: Flow<never>, messageId: string) {
  const { message } = await find(ports, flow, messageId);
  return {
    messageId,
    contentType: message.properties.contentType,
    base64: message.body.toString('base64'),
  };
}

async function find(
  ports: ReplayPorts,
  flow: Flow<never>,
  messageId: string,
): Promise<{ readonly facts: ParkedFacts; readonly message: Message }> {
  const found: { facts: ParkedFacts; message: Message }[] = [];
  const { scanned } = await survey(ports, flow, (facts, message) => {
    if (facts.messageId !== messageId) return 'more';
    found.push({ facts, message });
    return 'enough';
  });
  const [first] = found;
  if (first !== undefined) return first;
  throw new ReplayError(
    'MESSAGE_UNKNOWN',
    `No message '${messageId}' among the ${scanned} parked of flow ${flow.name}.`,
  );
}
