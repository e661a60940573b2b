import { recordDone } from './records.ts';
import { settle } from './replay-chunk.ts';
import { entryOf, type Item, type Slice } from './work.ts';

/**
 * Removes a chunk of messages for good. They are exported first, and only what was exported is given
 * up: a worker that dies in between leaves them parked, and the next one exports them once more.
 */
export async function discardChunk(slice: Slice, items: readonly Item[]): Promise<void> {
  const { ports, run, flow, lease } = slice;
  const part = `${lease.fence}-${ports.newId()}`;
  const kept = await ports.exporter.keep(
    run.id,
    part,
    items.map(({ message }) => message),
  );
  await ports.store.audit.append(
    flow.name,
    run.id,
    { kind: 'exported', ...kept, count: items.length },
    ports.now(),
  );
  for (const { tag } of items) slice.parking.ack(tag);
  await settle(slice);
  await recordDone(
    slice,
    items.map((item) => ({ ...entryOf(item), deed: 'discarded' })),
  );
}
