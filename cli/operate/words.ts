import pc from 'picocolors';
import { formatDuration } from '../../functions/policy/duration.ts';

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** How long ago a moment of the wire was, in its largest unit: `3 min ago`; `-` when there is none. */
export function ago(moment: string | null | undefined, nowMs: number): string {
  if (moment === undefined || moment === null) return '-';
  const ageMs = nowMs - Date.parse(moment);
  if (!Number.isFinite(ageMs)) return moment;
  // Clocks differ by seconds.
  const [unit, unitMs] = UNITS.find(([, size]) => ageMs >= size) ?? ['s', 1_000];
  return `${Math.max(0, Math.floor(ageMs / unitMs))} ${unit} ago`;
}

/** A moment to the second, UTC: `2026-01-31 12:00:05Z`. */
export function at(moment: string | undefined): string {
  return moment === undefined ? '-' : `${moment.slice(0, 19).replace('T', ' ')}Z`;
}

/** About how long something takes, in words. */
export function about(ms: number): string {
  if (ms < 1_000) return 'less than a second';
  return `about ${formatDuration(ms < 120_000 ? Math.ceil(ms / 1_000) * 1_000 : Math.ceil(ms / 60_000) * 60_000)}`;
}

export function messages(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}

/** Counts by name, the largest first: `transient 40, invalid 2`. */
export function counts(byName: Readonly<Record<string, number | undefined>>): string {
  const known = Object.entries(byName).flatMap(([name, count]) =>
    count === undefined || count === 0 ? [] : [{ name, count }],
  );
  return known
    .sort((a, b) => b.count - a.count)
    .map(({ name, count }) => `${name} ${count}`)
    .join(', ');
}

/** The name at the end of a caller's ARN: what colleagues call them. */
export function who(by: string | undefined): string {
  if (by === undefined) return 'unknown';
  return by.startsWith('arn:') ? (by.split('/').at(-1) ?? by) : by;
}

/** Colours for the few words that matter, on a terminal only. */
export function paint(stream: NodeJS.WriteStream = process.stdout) {
  const enabled = stream.isTTY === true && process.env.TERM !== 'dumb' && !process.env.NO_COLOR;
  const { dim, bold, green, red, yellow } = pc.createColors(enabled);
  return { dim, bold, good: green, bad: red, warn: yellow };
}
