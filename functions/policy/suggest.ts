/**
 * The candidate a mistyped word most likely meant, or `undefined` when none is close: same letters
 * in another case, one the beginning of the other, or a few typing mistakes apart.
 */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  let best: { candidate: string; mistakes: number } | undefined;
  for (const candidate of candidates) {
    const mistakes = mistakesBetween(wanted, candidate.toLowerCase());
    if (mistakes !== undefined && mistakes < (best?.mistakes ?? Number.POSITIVE_INFINITY)) {
      best = { candidate, mistakes };
    }
  }
  return best?.candidate;
}

/** How far apart two words are, or `undefined` for "not the same word". */
function mistakesBetween(wanted: string, candidate: string): number | undefined {
  // Nothing we know is that long, and the table below grows with the product of both lengths.
  if (wanted.length > 40) return undefined;
  const mistakes = editDistance(wanted, candidate);
  if (mistakes <= Math.max(1, Math.floor(candidate.length / 3))) return mistakes;
  const shorter = Math.min(wanted.length, candidate.length);
  const begins = wanted.startsWith(candidate) || candidate.startsWith(wanted);
  return begins && shorter >= 4 ? mistakes : undefined;
}

/** Letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      let cost = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + same,
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
