/**
 * A moment as ISO 8601 text, UTC. The last one is remembered: a batch makes thousands of copies and log
 * lines in one millisecond, and each names it.
 */
export function isoText(ms: number): string {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

let last = { ms: Number.NaN, text: '' };
