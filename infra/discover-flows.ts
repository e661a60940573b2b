import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Flow } from '../functions/policy/types.ts';

export interface DiscoveredFlow {
  readonly flow: Flow;
  /** Absolute paths. */
  readonly flowFile: string;
  readonly handlerFile: string;
}

export type FlowDiscoveryErrorCode =
  | 'NO_FLOWS'
  | 'MISSING_FILE'
  | 'NOT_IMPORTABLE'
  | 'NO_FLOW_EXPORT'
  | 'NAME_MISMATCH'
  | 'QUEUE_SHARED';

/** Something under functions/flows is not a flow; the message says which file and what to do. */
export class FlowDiscoveryError extends Error {
  override readonly name = 'FlowDiscoveryError';
  readonly code: FlowDiscoveryErrorCode;

  constructor(code: FlowDiscoveryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Where the flows of this repository are. */
export const FLOWS_FOLDER = fileURLToPath(new URL('../functions/flows/', import.meta.url));

/**
 * Finds the flows by folder: `functions/flows/<flow>/flow.ts` exports `flow`, `handler.ts` beside it
 * is its Lambda. Sorted by name. Folders whose name starts with a dot or an underscore are left out.
 */
export async function discoverFlows(folder = FLOWS_FOLDER): Promise<readonly DiscoveredFlow[]> {
  const entries = existsSync(folder) ? await readdir(folder, { withFileTypes: true }) : [];
  const names = entries
    .filter((entry) => entry.isDirectory() && !/^[._]/.test(entry.name))
    .map(({ name }) => name)
    .sort();
  if (names.length === 0) {
    throw new FlowDiscoveryError(
      'NO_FLOWS',
      `No flow was found in ${folder}. Make one with: npm run -s layover -- new <flow>`,
    );
  }
  const found: DiscoveredFlow[] = [];
  for (const name of names) found.push(await readFlow(folder, name));
  refuseSharedQueues(found);
  return found;
}

async function readFlow(folder: string, name: string): Promise<DiscoveredFlow> {
  const [flowFile, handlerFile] = ['flow.ts', 'handler.ts'].map((file) => {
    const path = join(folder, name, file);
    if (existsSync(path)) return path;
    throw new FlowDiscoveryError(
      'MISSING_FILE',
      `${shown(folder, name)}/ has no ${file}. A flow's folder holds flow.ts (its policy) and handler.ts (its Lambda).`,
    );
  }) as [string, string];
  const flow = flowOf(await importFlow(folder, name, flowFile));
  const file = `${shown(folder, name)}/flow.ts`;
  if (flow === undefined) {
    throw new FlowDiscoveryError(
      'NO_FLOW_EXPORT',
      `${file} exports no flow. Write: export const flow = defineFlow({ name: '${name}', … })`,
    );
  }
  if (flow.name !== name) {
    throw new FlowDiscoveryError(
      'NAME_MISMATCH',
      `${file} defines the flow '${flow.name}', but its folder is '${name}'. Give both the same name.`,
    );
  }
  return { flow, flowFile, handlerFile };
}

async function importFlow(folder: string, name: string, file: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FlowDiscoveryError(
      'NOT_IMPORTABLE',
      `${shown(folder, name)}/flow.ts could not be read: ${reason}`,
      { cause },
    );
  }
}

/** By shape: what `defineFlow` returns has a name and a schedule in milliseconds. */
function flowOf(module: unknown): Flow | undefined {
  const { flow } = module as { readonly flow?: Partial<Flow> };
  const defined = typeof flow?.name === 'string' && flow.schedule?.delaysMs !== undefined;
  return defined ? (flow as Flow) : undefined;
}

function refuseSharedQueues(found: readonly DiscoveredFlow[]): void {
  const owners = new Map<string, string>();
  for (const { flow } of found) {
    const owner = owners.get(flow.queue);
    if (owner !== undefined) {
      throw new FlowDiscoveryError(
        'QUEUE_SHARED',
        `The flows '${owner}' and '${flow.name}' both read the queue '${flow.queue}'. Give each flow a queue of its own.`,
      );
    }
    owners.set(flow.queue, flow.name);
  }
}

function shown(folder: string, name: string): string {
  return relative(process.cwd(), join(folder, name)) || name;
}
