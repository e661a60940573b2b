import type { ParkedFacts } from '../../../functions/replay/types.ts';

export const NOW = new Date('2026-06-01T12:00:00Z');

/** A transient failure of ours, parked an hour ago; parts replace what a test is about. */
export function someFacts(parts: Partial<ParkedFacts> = {}): ParkedFacts {
  return {
    fingerprint: 'f-1',
    messageId: 'm-1',
    class: 'transient',
    rule: 'network',
    signature: 's-1',
    errorName: 'Error',
    errorMessage: 'connect ECONNREFUSED',
    parkedAt: new Date(NOW.getTime() - 3_600_000),
    firstAt: new Date(NOW.getTime() - 7_200_000),
    replayCount: 0,
    lastRun: undefined,
    origin: { kind: 'ours' },
    labels: {},
    bytes: 100,
    own: true,
    ...parts,
  };
}
