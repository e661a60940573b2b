import type { Flow } from '../../policy/types.ts';
import { ReplayError } from '../errors.ts';
import type { RequestReader } from '../requests.ts';
import type { Flows } from './types.ts';

/**
 * The flow a request names.
 * @throws ReplayError `FLOW_UNKNOWN`, with those there are and the one that may have been meant
 */
export function flowOf(flows: Flows, request: RequestReader): Flow<never> {
  const name = request.text('flow');
  const flow = flows.find((candidate) => candidate.name === name);
  if (flow !== undefined) return flow;
  const names = flows.map((candidate) => candidate.name);
  const meant = nearest(name, names);
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new ReplayError(
    'FLOW_UNKNOWN',
    `There is no flow '${name}'; there are: ${names.join(', ')}.${question}`,
  );
}

/** The one name that is nearest to what was typed: two letters away, a third of a longer one. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, edits: editsBetween(typed, name) }))
    .filter(
      ({ name, edits }) => edits < name.length && edits <= Math.max(2, Math.floor(name.length / 3)),
    )
    .sort((a, b) => a.edits - b.edits);
  return ranked[0]?.name;
}

/** Levenshtein's distance; names are short, and longer ones are none. */
function editsBetween(from: string, to: string): number {
  const a = [...from.slice(0, 64)];
  const b = [...to.slice(0, 64)];
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (const [i, left] of a.entries()) {
    const next = [i + 1];
    for (const [j, right] of b.entries()) {
      const replaced = (row[j] ?? 0) + (left === right ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
