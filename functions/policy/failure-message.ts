/** The line a person reads: what failed and, where the outer error doesn't say, why. */
import type { ErrorFacts, NormalisedError } from './types.ts';

/** More than this many reasons in one line help nobody. */
const MAX_PARTS = 4;

/**
 * Puts the messages of a chain into one text: `fetch failed: connect ECONNREFUSED 127.0.0.1:80`,
 * with a semicolon between members of an aggregate.
 * A message already contained in what was said is left out. Never empty: an error without any
 * message is told by name and code, as Node's AggregateError of a failed dual-stack connect is by its
 * members.
 */
export function failureMessage({ chain }: NormalisedError): string {
  const parts: ErrorFacts[] = [];
  let text = '';
  for (const facts of chain) {
    const message = facts.message.trim();
    if (message === '' || parts.some((part) => part.message.includes(message))) continue;
    const last = parts.at(-1);
    if (last !== undefined) text += last.depth === facts.depth ? '; ' : ': ';
    text += message;
    if (parts.push(facts) === MAX_PARTS) break;
  }
  return text || wordless(chain);
}

function wordless(chain: readonly ErrorFacts[]): string {
  const codes = chain.map(({ code }) => code).filter((code) => code !== undefined);
  const [outer] = chain;
  return [outer?.name ?? 'Error', ...new Set(codes)].slice(0, MAX_PARTS).join(' ');
}

/** Names that don't tell what went wrong. */
const GENERIC: ReadonlySet<string> = new Set([
  'Error',
  'AggregateError',
  'object',
  'array',
  'string',
]);

/**
 * The name and code a failure goes by. The outermost name counts unless it is a generic one such as
 * `Error`; then that of the link the rule matched, then the next telling one. The code is the
 * matched link's, else the first there is.
 */
export function identityOf(
  { chain }: NormalisedError,
  matched: ErrorFacts | undefined,
): { readonly name: string; readonly code: string | undefined } {
  const [outer] = chain;
  const candidates = [outer, matched, ...chain].map((facts) => facts?.name ?? 'Error');
  return {
    name: candidates.find((name) => !GENERIC.has(name)) ?? candidates[0] ?? 'Error',
    code: matched?.code ?? chain.find(({ code }) => code !== undefined)?.code,
  };
}
