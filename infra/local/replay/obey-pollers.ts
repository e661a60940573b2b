import { setTimeout as sleep } from 'node:timers/promises';
import type { PollerState } from '../../../functions/replay/outside/world.ts';
import { stateFiles, type WantedPollers } from './local-state.ts';
import { readStateFile, writeStateFile } from './state-file.ts';

/** A flow whose event source mappings can be switched. */
export interface Switchable {
  readonly name: string;
  readonly mappings: readonly PollerState[];
  setEnabled(enabled: boolean): void;
}

const LOOK_EVERY_MS = 250;

/**
 * Lets the pollers of a run obey `pollers-wanted.json`, which commands in other terminals write, and
 * writes down in `pollers.json` how far they are. Resolves, with the first report written, to what ends it.
 */
export async function obeyPollers(
  folder: string,
  flows: readonly Switchable[],
  onTrouble: (text: string) => void,
): Promise<() => Promise<void>> {
  const files = stateFiles(folder);
  const controller = new AbortController();
  let reported = '';
  let troubled = false;
  const look = async () => {
    const wanted = (await readStateFile<WantedPollers>(files.wantedPollers)) ?? {};
    for (const flow of flows) flow.setEnabled(wanted[flow.name] ?? true);
    const states = Object.fromEntries(flows.map(({ name, mappings }) => [name, mappings]));
    const report = JSON.stringify(states);
    if (report === reported) return;
    await writeStateFile(files.pollers, states);
    reported = report;
  };
  await look();
  const looking = (async () => {
    while (!controller.signal.aborted) {
      await sleep(LOOK_EVERY_MS, undefined, { signal: controller.signal }).catch(() => {});
      try {
        await look();
        troubled = false;
      } catch (error) {
        // Once, not four times a second, until it is mended.
        if (!troubled) onTrouble(error instanceof Error ? error.message : String(error));
        troubled = true;
      }
    }
  })();
  return async () => {
    controller.abort();
    await looking;
  };
}
