import type { ParkedFacts, Plan, ReplayFilter } from '../types.ts';

/** A plan as text; dates become ISO 8601. */
export function planToJson(plan: Plan): string {
  return JSON.stringify(plan);
}

/** The counterpart of {@link planToJson}: what was a date is one again. */
export function planFromJson(text: string): Plan {
  const plan = JSON.parse(text) as Plan;
  return {
    ...plan,
    createdAt: new Date(plan.createdAt),
    validUntil: new Date(plan.validUntil),
    filter: filterDates(plan.filter),
    sample: plan.sample.map(factDates),
  };
}

function filterDates(filter: ReplayFilter): ReplayFilter {
  const { parkedBefore, parkedAfter, ...rest } = filter;
  return {
    ...rest,
    ...(parkedBefore === undefined ? {} : { parkedBefore: new Date(parkedBefore) }),
    ...(parkedAfter === undefined ? {} : { parkedAfter: new Date(parkedAfter) }),
  };
}

function factDates(facts: ParkedFacts): ParkedFacts {
  const { parkedAt, firstAt } = facts;
  return {
    ...facts,
    parkedAt: parkedAt === undefined ? undefined : new Date(parkedAt),
    firstAt: firstAt === undefined ? undefined : new Date(firstAt),
  };
}
