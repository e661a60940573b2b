import { BrokerError } from '../broker/errors.ts';
import { CopyError } from '../message/errors.ts';
import type { LeftoverReason } from './types.ts';

/** What a failed publish means for its message. */
export type PublishFailure =
  /** It stays parked, and the run does not try it again. */
  | { readonly kind: 'left'; readonly reason: LeftoverReason; readonly detail: string }
  /** The copy may be out. */
  | { readonly kind: 'doubt'; readonly detail: string }
  /** Nothing was sent; another slice may try. */
  | { readonly kind: 'later'; readonly detail: string };

export function publishFailure(error: unknown): PublishFailure {
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof CopyError) return { kind: 'left', reason: 'cannot-be-copied', detail };
  if (!(error instanceof BrokerError)) return { kind: 'doubt', detail };
  switch (error.code) {
    case 'UNROUTABLE':
      return { kind: 'left', reason: 'unroutable', detail };
    case 'NACKED':
      return { kind: 'left', reason: 'refused-by-queue', detail };
    case 'TOO_LARGE':
      return { kind: 'left', reason: 'too-large', detail };
    case 'UNENCODABLE':
      return { kind: 'left', reason: 'cannot-be-copied', detail };
    case 'CHANNEL_CLOSED':
    case 'CONNECTION_LOST':
    case 'BLOCKED':
    case 'NO_ANSWER':
    case 'CONNECT_FAILED':
    case 'ACCESS_REFUSED':
    case 'SECRET_UNREADABLE':
    case 'TLS':
      return { kind: error.mayBeWritten ? 'doubt' : 'later', detail };
  }
}
