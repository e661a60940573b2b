import { FINGERPRINT_CHARS } from '../../../functions/replay/fingerprint.ts';
import { digestOf, type Selection } from '../../../functions/replay/selection.ts';
import type { Standing } from '../../../functions/replay/store/runs.ts';
import { NO_COUNTERS, type Plan } from '../../../functions/replay/types.ts';
import { NOW, someFacts } from './facts.ts';

/** As long as every fingerprint is. */
export function fingerprint(n: number): string {
  return `f${n}`.padEnd(FINGERPRINT_CHARS, '_');
}

export function selectionOf(count: number): Selection {
  return Array.from({ length: count }, (_, n) => fingerprint(n));
}

/** A manual plan over two messages; parts replace what a test is about. */
export function aPlan(parts: Partial<Plan> = {}): Plan {
  return {
    id: 'p-1',
    environment: 'local',
    flow: 'orders',
    action: 'replay',
    mode: 'manual',
    createdAt: NOW,
    createdBy: 'arn:aws:iam::1:user/ada',
    validUntil: new Date(NOW.getTime() + 3_600_000),
    filter: { classes: ['transient'], parkedBefore: NOW },
    options: { ramp: true },
    window: { depth: 2, scanned: 2, complete: true },
    selected: 2,
    selectedBytes: 200,
    leftBehind: 0,
    digest: digestOf(selectionOf(2)),
    summary: { groups: [], moreGroups: { groups: 0, messages: 0 }, byClass: {}, byAge: {} },
    sample: [someFacts()],
    estimateMs: 1_000,
    warnings: [],
    refused: {},
    ...parts,
  };
}

export const ORDER = { by: 'arn:aws:iam::1:user/ada', reason: 'payment is back' };

export function standing(parts: Partial<Standing['counters']> = {}): Standing {
  return { counters: { ...NO_COUNTERS, ...parts }, leftovers: {} };
}
