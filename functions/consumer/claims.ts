/**
 * Claims: who is running a message, or that it was done. The port between the consumer and the
 * table; `dynamo-claims.ts` is the one implementation, `no-claims.ts` stands where there is no table.
 */

/** Where a claim was taken. An isolated claim that never ended convicts its message. */
export type ClaimPlace = 'work' | 'isolated';

export type ClaimAnswer =
  /** The message is ours until the lease ends. */
  | { readonly kind: 'claimed'; readonly claim: Claim }
  /** It was done before: acknowledge. */
  | { readonly kind: 'completed' }
  /** Somebody started it and has not ended it. */
  | {
      readonly kind: 'held';
      readonly place: ClaimPlace;
      readonly owner: string;
      /** Epoch milliseconds; may lie in the past. */
      readonly leaseUntilMs: number;
    };

/** Proof of ownership, needed to end what was started. */
export interface Claim {
  readonly id: string;
  readonly owner: string;
}

export interface ClaimRequest {
  /** Flow and key of the message, see {@link claimId}. */
  readonly id: string;
  readonly place: ClaimPlace;
  /** Unique to this run of this record. */
  readonly owner: string;
  readonly nowMs: number;
  /** When others may assume that this run is dead, skew margin included. */
  readonly leaseUntilMs: number;
}

export interface Claims {
  /**
   * Takes the claim unless somebody has it. In isolation a *dead batch's* claim (taken at work, lease
   * over) is taken over; a dead isolated run's never is: it is the evidence.
   */
  take(request: ClaimRequest): Promise<ClaimAnswer>;
  /** Reads without taking; undefined when there is none. For suspects, which don't run where they are. */
  look(id: string, nowMs: number): Promise<Exclude<ClaimAnswer, { kind: 'claimed' }> | undefined>;
  /**
   * The message was done; keeps the record so that a duplicate is known. Resolves to false when the
   * claim is no longer ours, which changes nothing in the table.
   */
  complete(claim: Claim, nowMs: number): Promise<boolean>;
  /** The run ended without being done, or the evidence was used. False when it is not ours. */
  release(claim: Claim): Promise<boolean>;
}

/** Longest key kept as it is; DynamoDB's partition key ends at 2,048 bytes. */
export const MAX_KEY_BYTES = 1024;

/** Safety against clock differences between sandboxes, added to every lease. */
export const LEASE_MARGIN_MS = 5_000;

export function claimId(flow: string, key: string): string {
  return `message#${flow}#${key}`;
}
