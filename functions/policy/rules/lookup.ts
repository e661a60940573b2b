/** Which rules could hold at all for an error, so that the other two hundred need not be asked. */
import type { ErrorFacts, NormalisedError, Rule } from '../types.ts';

/** A rule that says which facts it can't hold without; absent: it must always be asked. */
export interface KeyedRule extends Rule {
  readonly needs?: readonly Need[];
}

/** One of these facts must be there: this name, this code, any code, a number as code, and so on. */
export type Need =
  | `name:${string}`
  | `code:${string}`
  | `field:${string}`
  | 'code'
  | 'number-code'
  | 'sql-state'
  | 'status'
  | 'errno';

/**
 * Prepares an ordered list of rules. What it returns gives, for an error, the rules of which at
 * least one need is met by some link, in their order. Asking only these gives the same answer as
 * asking all, as long as the rules' needs are true.
 */
export function ruleLookup(
  rules: readonly KeyedRule[],
): (error: NormalisedError) => readonly Rule[] {
  const always = new Uint8Array(rules.length);
  const byNeed = new Map<string, number[]>();
  for (const [index, { needs }] of rules.entries()) {
    if (needs === undefined) always[index] = 1;
    for (const need of needs ?? []) byNeed.set(need, [...(byNeed.get(need) ?? []), index]);
  }
  const byField = new Map<string, readonly number[]>();
  for (const [need, indices] of byNeed) {
    if (need.startsWith('field:')) byField.set(need.slice('field:'.length), indices);
  }

  return ({ chain }) => {
    const asked = always.slice();
    const ask = (indices: readonly number[] | undefined) => {
      for (const index of indices ?? []) asked[index] = 1;
    };
    for (const facts of chain) {
      for (const need of needsMetBy(facts)) ask(byNeed.get(need));
      for (const field in facts.fields) ask(byField.get(field));
    }
    return rules.filter((_rule, index) => asked[index] === 1);
  };
}

function needsMetBy(facts: ErrorFacts): Need[] {
  const { name, code, status, errno, fields } = facts;
  const met: Need[] = [`name:${name}`];
  if (code !== undefined) met.push('code', `code:${code}`);
  if (typeof fields.code === 'number') met.push('number-code');
  if (sqlStateOf(facts) !== '') met.push('sql-state');
  if (status !== undefined) met.push('status');
  if (errno !== undefined) met.push('errno');
  return met;
}

/** The fields clients keep a SQLSTATE in. */
const SQL_STATE_FIELDS = ['code', 'originalCode', 'sqlState', 'sqlstate'];

/**
 * The SQLSTATE a link tells, `''` when none. It is text: a number such as MongoDB's 11000 is none.
 * Prisma and Node have five-letter codes as well, which no class of SQLSTATE used here begins like.
 */
export function sqlStateOf({ fields }: ErrorFacts): string {
  for (const name of SQL_STATE_FIELDS) {
    const value = fields[name];
    if (typeof value === 'string' && value.length === 5 && /^[0-9A-Z]{5}$/.test(value))
      return value;
  }
  return '';
}
