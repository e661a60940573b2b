import { createHash, randomUUID } from 'node:crypto';
import type { Message } from '../message/types.ts';
import type { Flow, FlowMessage } from '../policy/types.ts';
import { MAX_KEY_BYTES } from './claims.ts';
import { flowMessage } from './flow-message.ts';

/** One message of the event on its way through the consumer. */
export interface BatchRecord {
  readonly message: Message;
  /** What the event's decoder could not read; undefined in the good case. */
  readonly decodeProblem: string | undefined;
  /** Stamped on the first copy of a message that came without a messageId. */
  readonly messageIdIfMissing: string;
  readonly key: MessageKey;
  /** What the flow extracts for searching; asked for once. */
  readonly labels: Labels | undefined;
}

type Labels = Readonly<Record<string, string>>;

export type MessageKey =
  /** `stable`: the broker would deliver the same key again, so a claim on it means something. */
  | { readonly value: string; readonly stable: boolean }
  /** The flow's own key function failed: the message fails as if its handler had. */
  | { readonly thrown: unknown };

type KeyedFlow = Pick<Flow<never>, 'idempotency' | 'labels'>;

export function recordOf(flow: KeyedFlow, message: Message, decodeProblem?: string): BatchRecord {
  // Thousands of these are made in a batch, and hardly ever needed.
  const messageIdIfMissing = message.properties.messageId || randomUUID();
  let labels: { readonly value: Labels | undefined } | undefined;
  return {
    message,
    decodeProblem,
    messageIdIfMissing,
    key: keyOf(flow, message, messageIdIfMissing),
    get labels() {
      labels ??= { value: labelsOf(flow, message) };
      return labels.value;
    },
  };
}

function keyOf(flow: KeyedFlow, message: Message, fallback: string): MessageKey {
  try {
    const own = flow.idempotency.key?.(flowMessage(message));
    if (own !== undefined && (typeof own !== 'string' || own === '')) {
      throw new TypeError(`idempotency.key gave ${String(own)}; it must give a text.`);
    }
    const value = own ?? message.properties.messageId;
    if (value === undefined || value === '') return { value: fallback, stable: false };
    return {
      value: Buffer.byteLength(value) > MAX_KEY_BYTES ? digest(value) : value,
      stable: true,
    };
  } catch (thrown) {
    return { thrown };
  }
}

function digest(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/** The flow's labels; a label function that fails gives none, since it must not break settling. */
function labelsOf(flow: KeyedFlow, message: Message): Labels | undefined {
  try {
    return flow.labels?.(flowMessage(message) as FlowMessage);
  } catch {
    return undefined;
  }
}
