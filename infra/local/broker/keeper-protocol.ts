/**
 * What a keeper tells its parent, one JSON object a line on its stdout.
 * The other direction needs no words: the end of the keeper's stdin means "tidy up and go",
 * and the operating system sends that too when the parent dies of whatever cause.
 */
export type KeeperLine =
  /** What it does next, and how long that may take before the parent gives up on it. */
  | { readonly type: 'step'; readonly text: string; readonly withinMs: number }
  /** What was started runs; the parent reads the rest of the facts from `data`. */
  | { readonly type: 'ready'; readonly data: unknown }
  /** It is not going to run. */
  | { readonly type: 'failed'; readonly reason: string };

/** The line's meaning, or undefined for anything a library printed in between. */
export function parseKeeperLine(line: string): KeeperLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  switch (value.type) {
    case 'step':
      return 'text' in value &&
        typeof value.text === 'string' &&
        'withinMs' in value &&
        typeof value.withinMs === 'number'
        ? { type: 'step', text: value.text, withinMs: value.withinMs }
        : undefined;
    case 'ready':
      return { type: 'ready', data: 'data' in value ? value.data : undefined };
    case 'failed':
      return 'reason' in value && typeof value.reason === 'string'
        ? { type: 'failed', reason: value.reason }
        : undefined;
    default:
      return undefined;
  }
}
