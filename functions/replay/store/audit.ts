import { randomUUID } from 'node:crypto';
import { ReplayError } from '../errors.ts';
import type { GuardName } from '../guards.ts';
import { IDS_PER_ITEM } from '../selection.ts';
import type {
  LeftoverReason,
  Order,
  ReplayFilter,
  RunAction,
  RunCounters,
  RunOptions,
} from '../types.ts';
import { pad } from './plans.ts';
import { type Item, type Table, textOf } from './table.ts';

/** One line of the audit. Lists of ids have at most 1,000 entries; more makes more lines. */
export type AuditEvent =
  | {
      readonly kind: 'started';
      readonly action: RunAction;
      readonly order: Order;
      readonly filter: ReplayFilter;
      /** As the run was started, with its own rate and ramp; absent in older lines. */
      readonly options?: RunOptions;
      readonly selected: number;
      readonly digest: string;
    }
  | { readonly kind: 'adopted'; readonly worker: string; readonly uncertain: number }
  | {
      readonly kind:
        | 'moved'
        | 'presumed-moved'
        | 'removed-as-duplicate'
        | 'removed-as-superseded'
        | 'discarded';
      readonly ids: readonly string[];
    }
  | { readonly kind: 'left'; readonly reason: LeftoverReason; readonly ids: readonly string[] }
  | {
      readonly kind: 'exported';
      readonly to: string;
      readonly count: number;
      readonly sha256: string;
    }
  | { readonly kind: 'cancel-asked'; readonly by: string }
  | {
      readonly kind: 'ended';
      readonly state: 'halted' | 'cancelled' | 'done';
      readonly why: string;
      readonly order: Order;
      readonly counters: RunCounters;
      readonly leftovers: Readonly<Partial<Record<LeftoverReason, number>>>;
      readonly depthBefore: number | undefined;
      readonly depthAfter: number | undefined;
    }
  /** The schedule looked and moved nothing, or (observing) would have moved `selected`. */
  | {
      readonly kind: 'skipped' | 'observed';
      readonly because: Readonly<Partial<Record<GuardName, number>>>;
      readonly detail: string;
      readonly selected: number;
    }
  | {
      readonly kind: 'switched';
      readonly by: string;
      readonly to: string;
      readonly reason: string;
    }
  /** A flow's pollers were told to stop, or to go on. */
  | {
      readonly kind: 'paused' | 'resumed';
      readonly by: string;
      readonly pollers: readonly { readonly id: string; readonly state: string }[];
      readonly reason: string;
    };

export interface AuditLine {
  readonly at: Date;
  readonly flow: string;
  readonly run: string | undefined;
  readonly event: AuditEvent;
}

export interface AuditQuery {
  readonly from?: Date;
  readonly to?: Date;
  readonly run?: string;
  /**
   * Also lines of looks of the schedule that moved nothing. Without them the newest 5,000 lines are looked
   * through. @default true
   */
  readonly skipped?: boolean;
  /** @default 100 */
  readonly limit?: number;
}

export interface Audit {
  /** Appends; a line is never changed and never removed. */
  append(flow: string, run: string | undefined, event: AuditEvent, nowMs: number): Promise<void>;
  /** Newest first. */
  query(flow: string, query?: AuditQuery): Promise<AuditLine[]>;
}

export function createAudit(table: Table): Audit {
  let sequence = 0;
  return {
    async append(flow, run, event, nowMs) {
      if ('ids' in event && event.ids.length > IDS_PER_ITEM) {
        throw new ReplayError(
          'STORE',
          `An audit line holds ${IDS_PER_ITEM} ids, got ${event.ids.length}.`,
        );
      }
      // Lines of one millisecond stay in order, and apart from those of another process.
      const unique = `${pad(sequence++)}#${randomUUID().slice(0, 8)}`;
      const sk = `${new Date(nowMs).toISOString()}#${unique}`;
      const created = await table.create(
        { pk: `audit#${flow}`, sk },
        { flow, run, kind: event.kind, event: JSON.stringify(event) },
      );
      if (created) return;
      // Only a repeated request of our own can have written this key.
      const existing = await table.get({ pk: `audit#${flow}`, sk });
      if (textOf(existing, 'event') !== JSON.stringify(event)) {
        throw new ReplayError('STORE', `The audit line ${sk} exists with other content.`);
      }
    },

    async query(flow, query = {}) {
      const { from = new Date(0), to = LATEST, run, skipped = true, limit = 100 } = query;
      const items = await table.query(`audit#${flow}`, {
        from: from.toISOString(),
        to: `${to.toISOString()}#~`,
        newestFirst: true,
        ...(run === undefined ? { limit: skipped ? limit : LOOKED_THROUGH } : {}),
      });
      return items
        .filter((item) => run === undefined || textOf(item, 'run') === run)
        .filter((item) => skipped || textOf(item, 'kind') !== 'skipped')
        .slice(0, limit)
        .map((item) => lineOf(item, flow));
    },
  };
}

/** The schedule leaves a line a minute when something parked is not for it: half a week of them. */
const LOOKED_THROUGH = 5_000;
const LATEST = new Date('9999-12-31T23:59:59.999Z');

function lineOf(item: Item, flow: string): AuditLine {
  return {
    at: new Date(textOf(item, 'sk')?.split('#')[0] ?? ''),
    flow,
    run: textOf(item, 'run'),
    event: JSON.parse(textOf(item, 'event') ?? '{}') as AuditEvent,
  };
}
