import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Topology } from '../functions/topology/types.ts';
import { bundleHandlers } from './bundle.ts';
import type { DiscoveredFlow } from './discover-flows.ts';

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
  /** By flow. */
  readonly flows: Readonly<Record<string, string>>;
}

/**
 * Bundles every function once, each into a folder of its own, so that a change in one flow leaves
 * the other functions as they are. The probe's folder also holds the model it compares with.
 */
export async function bundleFunctions(
  flows: readonly Pick<DiscoveredFlow, 'flow' | 'handlerFile'>[],
  topology: Topology,
  outDir: string,
): Promise<Bundles> {
  const handlers = [
    ...Object.entries(OWN_HANDLERS),
    ...flows.map(({ flow, handlerFile }) => [flow.name, handlerFile] as const),
  ];
  // What no longer exists must not be taken for something that does.
  await rm(outDir, { recursive: true, force: true });
  await bundleHandlers({
    handlers: Object.fromEntries(handlers.map(([name, file]) => [`${name}/index`, file])),
    outDir,
  });
  const probe = join(outDir, '_probe');
  await writeFile(join(probe, 'model.json'), JSON.stringify(topology));
  return {
    topology: join(outDir, '_topology'),
    probe,
    teardown: join(outDir, '_teardown'),
    flows: Object.fromEntries(flows.map(({ flow }) => [flow.name, join(outDir, flow.name)])),
  };
}
