/** Which failures are the same one: a hash that survives deploys and differing ids. */
import { hash } from 'node:crypto';
import { ownFrame } from './stack-frame.ts';
import type { ErrorFacts, FailureClass } from './types.ts';

/** Enough to tell failures apart; the rest of a long message is data. */
const MAX_MESSAGE = 2_048;

/**
 * A short stable name of a failure: 12 hex digits of SHA-256 over class, error name, normalised
 * messages and the top own-code frame (function and file). Equal for the same fault with other ids,
 * numbers or addresses, and after a deploy that moves lines.
 *
 * @param name the name the failure goes by
 * @param chain the facts, outermost first; each distinct message of the first ten counts once
 */
export function signatureOf(
  failureClass: FailureClass,
  name: string,
  chain: readonly ErrorFacts[],
): string {
  const links = chain.slice(0, 10);
  const messages = new Set(links.map((facts) => normaliseMessage(facts.message)));
  const frame = links.map((facts) => ownFrame(facts.stack, facts.message)).find(Boolean) ?? '';
  const parts = [failureClass, name, [...messages].filter(Boolean).sort().join('\n'), frame];
  return hash('sha256', parts.join('\0'), 'hex').slice(0, 12);
}

/**
 * A message with everything taken out that differs from one failure to the next: quoted text, what
 * follows the host in URLs, e-mail addresses, UUIDs, hex, numbers, and any other word with a digit in it.
 *
 * @example normaliseMessage("order 4711 of 'bob' not found") // order # of '' not found
 */
export function normaliseMessage(message: string): string {
  return (
    message
      .slice(0, MAX_MESSAGE)
      .replace(/:\/\/(?:[^\s/@"'<>]*@)?([^\s/?#"'<>]*)[^\s"'<>]*/g, '://$1')
      .replace(/[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}.-]{1,255}/gu, '#')
      .replace(/"(?:[^"\\]|\\.)*"/g, '""')
      .replace(/`[^`]*`/g, '``')
      // An apostrophe inside a word is no quotation mark.
      .replace(/(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu, "''")
      .replace(/[‘“«][^’”»]*[’”»]/g, "''")
      .replace(/[\p{L}\p{N}_-]*\p{N}[\p{L}\p{N}_+/=-]*/gu, '#')
      .replace(/\b[a-f]{8,}\b/gi, '#')
      // Addresses, fractions, dates and lists of ids are now runs of # and marks.
      .replace(/#(?:[\s.,:;/_-]*#)+/g, '#')
      .replace(/\[?::#?\]?/g, '#')
      .replace(/\s+/g, ' ')
      .trim()
  );
}
