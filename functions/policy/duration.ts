/** Text of a whole number and a unit: `'500ms'`, `'10s'`, `'5m'`, `'1h'`, `'2d'`. */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** A text that was meant as a duration and is none. The message says what would be one. */
export class DurationError extends Error {
  override readonly name = 'DurationError';
  readonly code = 'DURATION';
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
/** Largest first, for writing. */
const UNITS = Object.entries(UNIT_MS).reverse();
const EXAMPLES = "such as '500ms', '10s', '5m', '1h' or '2d'";

/**
 * Reads a duration into milliseconds. One whole number and one unit, nothing else: no sign, no
 * fraction, no blanks. A number without a unit is refused, since half the people who write it mean
 * seconds. Zero is a duration; bounds are for the caller to check.
 *
 * @throws {DurationError} with the value and, where it can be guessed, what to write instead
 */
export function parseDuration(value: unknown): number {
  if (typeof value === 'number') {
    throw new DurationError(
      `expected a duration ${EXAMPLES}, got the number ${value}${suggestForNumber(value)}`,
    );
  }
  if (typeof value !== 'string') {
    throw new DurationError(
      `expected a duration ${EXAMPLES}, got ${value === null ? 'null' : typeof value}`,
    );
  }
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(value);
  const unitMs = UNIT_MS[match?.[2] ?? ''];
  if (match?.[1] === undefined || unitMs === undefined) {
    throw new DurationError(`expected a duration ${EXAMPLES}, got '${clip(value)}'${why(value)}`);
  }
  const ms = Number(match[1]) * unitMs;
  if (!Number.isSafeInteger(ms)) {
    throw new DurationError(
      `'${clip(value)}' is more milliseconds than a number holds exactly; use a shorter duration`,
    );
  }
  return ms;
}

/**
 * Writes milliseconds as one whole number of the largest unit that fits exactly (`'90s'`, `'33s'`,
 * `'1500ms'`): the text {@link parseDuration} reads back, and the one tiers are named by.
 */
export function durationText(ms: number): Duration {
  const whole = Math.max(0, Math.round(ms));
  if (whole === 0) return '0ms';
  const [unit, unitMs] = UNITS.find(([, size]) => whole % size === 0) ?? ['ms', 1];
  return `${whole / unitMs}${unit}` as Duration;
}

/**
 * Writes milliseconds for people: `'36m 10s'`, `'1d 2h'`, `'1s 500ms'`, `'0s'`. Every unit that is
 * not zero is named, so nothing is rounded away.
 */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return String(ms);
  let restMs = Math.round(Math.abs(ms));
  const parts: string[] = [];
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(restMs / unitMs);
    restMs -= count * unitMs;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  const text = parts.join(' ') || '0s';
  return ms < 0 && text !== '0s' ? `-${text}` : text;
}

function suggestForNumber(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) return '';
  return ` without a unit; write '${value}ms' or '${value}s'`;
}

/** What is wrong with the text, and what to write, when that can be told. */
function why(text: string): string {
  if (/^\d+$/.test(text)) return ` without a unit; write '${clip(text)}ms' or '${clip(text)}s'`;
  const trimmed = text.trim().toLowerCase();
  if (trimmed !== text && /^\d+(ms|s|m|h|d)$/.test(trimmed)) return `; write '${trimmed}'`;
  if (/^-/.test(trimmed)) return '; it must not be negative';
  if (text.length > 40) return '';

  const parts = [...trimmed.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)];
  const unread = trimmed.replaceAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g, '').trim();
  if (parts.length === 0 || unread !== '') return '';
  let ms = 0;
  for (const [, count, word = ''] of parts) {
    ms += Number(count) * (UNIT_MS[word] ?? UNIT_MS[unitOfWord(word)] ?? Number.NaN);
  }
  return Number.isSafeInteger(ms) ? `; write '${durationText(ms)}'` : '';
}

/** `sec`, `minutes`, `hrs`… → the unit's letter; the word itself when it is none. */
function unitOfWord(word: string): string {
  if (/^(ms|msecs?|millis|milliseconds?)$/.test(word)) return 'ms';
  const known = /^(s|m|h|d)(ec|ecs|econd|econds|in|ins|inute|inutes|r|rs|our|ours|ay|ays)$/.exec(
    word,
  );
  return known?.[1] ?? word;
}

function clip(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
