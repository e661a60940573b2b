import { type GuardAnswer, HOLDS, refuses } from './types.ts';

/** Who put a message into parking, and where it belongs. */
export type ParkedOrigin =
  /** Our own copy, or a message the broker dead-lettered out of one of the flow's queues. */
  | { readonly kind: 'ours' | 'broker' }
  /** Spring's RepublishMessageRecoverer; `known` when its headers name this flow's route. */
  | { readonly kind: 'spring'; readonly known: boolean; readonly route: string }
  /** A dead letter of a queue that is not the flow's. */
  | { readonly kind: 'elsewhere'; readonly route: string }
  | { readonly kind: 'unknown' };

/**
 * Holds when the message is known to belong to the flow, or comes from where the flow accepts messages. A
 * target is never taken from a stranger's word.
 *
 * @param acceptFrom routes as the flow lists them; `unknown` for messages that tell none
 */
export function origin(from: ParkedOrigin, acceptFrom: readonly string[]): GuardAnswer {
  if (acceptFrom.includes('route' in from ? from.route : from.kind)) return HOLDS;
  switch (from.kind) {
    case 'ours':
    case 'broker':
      return HOLDS;
    case 'spring':
      if (from.known) return HOLDS;
      return refuses(
        'origin',
        `came from ${from.route}, which is no route of the flow; list it in replay.acceptFrom if it is to be`,
      );
    case 'elsewhere':
      return refuses(
        'origin',
        `came from ${from.route}, which is no queue of the flow; list it in replay.acceptFrom if it is to be`,
      );
    case 'unknown':
      return refuses(
        'origin',
        "nothing on it says where it came from; replay.acceptFrom may list 'unknown'",
      );
  }
}
