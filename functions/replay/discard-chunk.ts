import { recordDone } from './records.ts';
import { type ChunkEnd, type StagedChunk, settle } from './replay-chunk.ts';
import { entryOf, type Item, type Slice } from './work.ts';

/**
 * Removes a chunk of messages for good. They are exported first, and only what was exported is given
 * up: a worker that dies in between leaves them parked, and the next one exports them once more.
 */
export function stageDiscard(slice: Slice, items: readonly Item[]): StagedChunk {
  const putBack = () => {
    for (const { tag, fingerprint } of items) {
      slice.parking.hold(tag);
      slice.progress.putBack(fingerprint);
    }
  };
  return {
    publish: async () => {
      try {
        await keep(slice, items);
      } catch (error) {
        putBack();
        throw error;
      }
      return () => remove(slice, items);
    },
    abandon: async () => putBack(),
  };
}

async function keep({ ports, run, flow, lease }: Slice, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return;
  const kept = await ports.exporter.keep(
    run.id,
    `${lease.fence}-${ports.newId()}`,
    items.map(({ message }) => message),
  );
  const event = { kind: 'exported', ...kept, count: items.length } as const;
  await ports.store.audit.append(flow.name, run.id, event, ports.now());
}

async function remove(slice: Slice, items: readonly Item[]): Promise<ChunkEnd> {
  for (const { tag } of items) slice.parking.ack(tag);
  await settle(slice);
  await recordDone(
    slice,
    items.map((item) => ({ ...entryOf(item), deed: 'discarded' })),
  );
  return { tried: 0, moved: 0, later: 0, detail: undefined };
}
