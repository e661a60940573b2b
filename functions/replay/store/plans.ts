import { ReplayError } from '../errors.ts';
import { FINGERPRINT_CHARS } from '../fingerprint.ts';
import { digestOf, inItems, type Selection } from '../selection.ts';
import type { Plan } from '../types.ts';
import { planToJson } from './plan-json.ts';
import { expiryOf, type Table, textOf } from './table.ts';

/** A plan nobody ran is kept for a while, so that its id still says "expired" rather than "unknown". */
const KEEP_PLAN_MS = 7 * 86_400_000;
/** They are ASCII: together 240 KB, below an item's 400 KB. */
const FINGERPRINTS_PER_ITEM = 10_000;
const EACH_FINGERPRINT = new RegExp(`.{${FINGERPRINT_CHARS}}`, 'g');

export interface Plans {
  /** Saves the selection first, so that a plan which can be found is whole. */
  save(plan: Plan, selection: Selection): Promise<void>;
  /** @throws ReplayError `PLAN_DAMAGED` when it is not the selection the plan's digest names */
  selection(plan: Plan): Promise<Selection>;
}

export function createPlans(table: Table): Plans {
  return {
    async save(plan, selection) {
      const pk = runKey(plan.id);
      const expiresAt = expiryOf(plan.createdAt.getTime(), KEEP_PLAN_MS);
      for (const [n, part] of inItems(selection, FINGERPRINTS_PER_ITEM).entries()) {
        await table.create({ pk, sk: `select#${pad(n)}` }, { ids: part.join(''), expiresAt });
      }
      const created = await table.create(
        { pk, sk: 'run' },
        {
          state: 'planned',
          flow: plan.flow,
          plan: planToJson(plan),
          validUntilMs: plan.validUntil.getTime(),
          expiresAt,
        },
      );
      if (!created) throw new ReplayError('STORE', `A plan with the id ${plan.id} exists already.`);
    },

    async selection(plan) {
      const items = await table.query(runKey(plan.id), { prefix: 'select#' });
      const selection = items.flatMap((item) => textOf(item, 'ids')?.match(EACH_FINGERPRINT) ?? []);
      if (selection.length === plan.selected && digestOf(selection) === plan.digest) {
        return selection;
      }
      throw new ReplayError(
        'PLAN_DAMAGED',
        `Plan ${plan.id} was made for ${plan.selected} messages, ${selection.length} are stored; make a new plan.`,
      );
    },
  };
}

export function runKey(id: string): string {
  return `run#${id}`;
}

export function pad(n: number): string {
  return `${n}`.padStart(8, '0');
}
