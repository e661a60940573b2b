import type { Failure } from '../policy/types.ts';
import type { DeferReason } from './judge.ts';

/** What happened to a record. `queue` is where its copy is now. */
export type Outcome =
  | { readonly kind: 'done' | 'duplicate' }
  | {
      readonly kind: 'retry';
      readonly queue: string;
      readonly nextAt: Date;
      readonly delayMs: number;
    }
  /** `failure` when the message is parked for another reason than it was judged by. */
  | { readonly kind: 'park'; readonly queue: string; readonly failure?: Failure }
  | { readonly kind: 'discard' | 'acknowledge' }
  | { readonly kind: 'deferred'; readonly queue: string; readonly why: DeferReason }
  | { readonly kind: 'isolated'; readonly queue: string }
  /** Nothing is given up: the invocation must fail, so that the broker keeps the original. */
  | { readonly kind: 'unsettled'; readonly error: unknown };
