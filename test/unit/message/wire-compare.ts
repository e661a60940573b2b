import type { WireTable, WireValue } from './wire.ts';

/** Tables sorted by name: a key `!` changes its place, since it is handed over as an inherited one. */
export function sorted(value: WireValue | undefined): unknown {
  if (value?.tag === 'A') return { ...value, value: value.value.map(sorted) };
  if (value?.tag !== 'F') return value;
  const table: WireTable = value.value;
  return { ...value, value: new Map(table.map(([name, item]) => [name, sorted(item)])) };
}
