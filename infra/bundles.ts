import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Topology } from '../functions/topology/types.ts';
import { bundleHandlers } from './bundle.ts';
import type { DiscoveredFlow } from './discover-flows.ts';
import { writeReplayEntries } from './replay-entries.ts';
import { REPLAY_PARTS, type ReplayPart } from './replay-parts.ts';

const HERE = fileURLToPath(new URL('..', import.meta.url));

/** Functions of the product itself, by the folder of their bundle; a flow's name has no underscore. */
const OWN_HANDLERS = {
  _topology: join(HERE, 'functions/topology/custom-resource.ts'),
  _probe: join(HERE, 'functions/probe/handler.ts'),
  _teardown: join(HERE, 'functions/teardown/handler.ts'),
} as const;

/** Folders with `index.mjs`, one per function: what gets uploaded. */
export interface Bundles {
  readonly topology: string;
  readonly probe: string;
  readonly teardown: string;
  /** Of replay, by part. They hold every flow's policy. */
  readonly replay: Readonly<Record<ReplayPart, string>>;
  /** By flow. */
  readonly flows: Readonly<Record<string, string>>;
}

/**
 * Bundles every function once, each into a folder of its own, so that a change in one flow leaves
 * the other functions as they are. The probe's folder also holds the model it compares with.
 */
export async function bundleFunctions(
  flows: readonly Pick<DiscoveredFlow, 'flow' | 'flowFile' | 'handlerFile'>[],
  topology: Topology,
  outDir: string,
): Promise<Bundles> {
  // What no longer exists must not be taken for something that does.
  await rm(outDir, { recursive: true, force: true });
  const entriesFolder = join(outDir, '_entries');
  const entries = await writeReplayEntries(
    flows.map(({ flowFile }) => flowFile),
    entriesFolder,
  );
  const handlers = [
    ...Object.entries(OWN_HANDLERS),
    ...Object.entries(entries).map(([part, file]) => [`_replay-${part}`, file] as const),
    ...flows.map(({ flow, handlerFile }) => [flow.name, handlerFile] as const),
  ];
  await bundleHandlers({
    handlers: Object.fromEntries(handlers.map(([name, file]) => [`${name}/index`, file])),
    outDir,
  });
  await rm(entriesFolder, { recursive: true, force: true });
  const probe = join(outDir, '_probe');
  await writeFile(join(probe, 'model.json'), JSON.stringify(topology));
  return {
    topology: join(outDir, '_topology'),
    probe,
    teardown: join(outDir, '_teardown'),
    replay: replayFolders(outDir),
    flows: Object.fromEntries(flows.map(({ flow }) => [flow.name, join(outDir, flow.name)])),
  };
}

function replayFolders(outDir: string): Bundles['replay'] {
  const folders = REPLAY_PARTS.map((part) => [part, join(outDir, `_replay-${part}`)] as const);
  return Object.fromEntries(folders) as Record<ReplayPart, string>;
}
