import type { Claims } from './claims.ts';

/**
 * Stands where an environment has no table: every message may run, nothing is remembered, and crash
 * isolation has only the broker's counts to go by.
 */
export const noClaims: Claims = {
  take: async ({ id, owner }) => ({ kind: 'claimed', claim: { id, owner } }),
  look: async () => undefined,
  complete: async () => true,
  release: async () => true,
};
