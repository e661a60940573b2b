import type { EndedRun, HeaderValue } from './types.ts';

/** The longest owner a mark carries, in bytes of UTF-8; the consumer's own are 73. */
export const OWNER_LIMIT_BYTES = 128;

/**
 * The value of `x-failure-suspect`: `true`, or which run ended without the table of claims being told,
 * as `done:<owner>` or `ended:<owner>`. An owner that is too long is left out: a cut one names nobody.
 */
export function suspectValue(endedRun: EndedRun | undefined): HeaderValue {
  if (endedRun === undefined || !isOwner(endedRun.owner)) return true;
  return `${endedRun.done ? 'done' : 'ended'}:${endedRun.owner}`;
}

/** The counterpart of {@link suspectValue}; anything else is no mark. Never throws. */
export function readSuspect(value: HeaderValue | undefined): {
  readonly suspect: boolean;
  readonly endedRun?: EndedRun;
} {
  if (value === true) return { suspect: true };
  if (typeof value !== 'string') return { suspect: false };
  const colon = value.indexOf(':');
  const word = value.slice(0, Math.max(0, colon));
  const owner = value.slice(colon + 1);
  if ((word !== 'done' && word !== 'ended') || !isOwner(owner)) return { suspect: false };
  return { suspect: true, endedRun: { owner, done: word === 'done' } };
}

function isOwner(owner: string): boolean {
  return owner !== '' && Buffer.byteLength(owner) <= OWNER_LIMIT_BYTES;
}
