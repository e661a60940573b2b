import type { OutgoingCopy } from '../message/types.ts';

/** Where the broker is and how to log in; parsed once from the environment. */
export type BrokerConfig =
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'secret';
      readonly host: string;
      readonly port: number;
      readonly vhost: string;
      readonly secretArn: string;
    };

/** One broker, kept across invocations: connects when first used, renews itself when it must. */
export interface BrokerSession {
  /**
   * Publishes through the default exchange: persistent, mandatory.
   * Resolves only when the broker has confirmed the copy and returned nothing.
   * Rejects by `deadlineAtMs` (epoch milliseconds) at the latest, with an error of `broker/errors.ts`.
   */
  publish(copy: OutgoingCopy, deadlineAtMs: number): Promise<void>;
  /** Called at the start of an invocation: proves or renews a connection that may have been frozen. */
  wake(deadlineAtMs: number): Promise<void>;
  /** Ends the session; never waits for a broker that doesn't answer. */
  close(): Promise<void>;
}
