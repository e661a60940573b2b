/** The thrown thing and everything inside it → a flat, bounded, frozen chain of facts. */
import { factsOf } from './error-facts.ts';
import { linksOf } from './error-links.ts';
import { responseHeaders } from './headers.ts';
import { issuesOf } from './issues.ts';
import { rememberedChain } from './plain-error.ts';
import { retryAfterOf } from './retry-after.ts';
import { isObject } from './safe-read.ts';
import type { ErrorFacts, NormalisedError } from './types.ts';

const MAX_LINKS = 100;
const MAX_DEPTH = 10;

/**
 * Flattens whatever was thrown, breadth first: the thing itself (depth 0), then what it directly
 * holds (`cause`, what a database wrapper wraps, members of an aggregate), then what those hold. So
 * an outer error always comes before an inner one, and the same input gives the same order.
 *
 * Total: never throws and never writes to what was thrown. At most 100 links and 10 levels; an
 * object met twice (`e.cause = e`) is taken once. An error described as plain JSON gives the same
 * chain as the error it describes.
 *
 * `retryAfterMs` is the longest wait any link asks for: as a floor it satisfies them all.
 *
 * @param now what HTTP dates in Retry-After are compared with
 */
export function normalise(thrown: unknown, now: Date): NormalisedError {
  return rememberedChain(thrown, () => takeApart(thrown, now));
}

function takeApart(thrown: unknown, now: Date): NormalisedError {
  const chain: ErrorFacts[] = [];
  const seen = new Set<unknown>();
  const waitsMs: number[] = [];
  let level: unknown[] = [thrown];

  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const error of level) {
      if (chain.length >= MAX_LINKS) break;
      if (isObject(error) && seen.has(error)) continue;
      seen.add(error);

      const headers = responseHeaders(error);
      const issues = issuesOf(error);
      const facts = factsOf(error, { headers, issues, depth });
      const waitMs = retryAfterOf({ headers, status: facts.status, error }, now);
      chain.push(facts);
      if (waitMs !== undefined) waitsMs.push(waitMs);
      next.push(...linksOf(error, issues !== undefined));
    }
    level = next;
  }
  const frozen = Object.freeze(chain);
  return waitsMs.length === 0
    ? Object.freeze({ chain: frozen })
    : Object.freeze({ chain: frozen, retryAfterMs: Math.max(...waitsMs) });
}
