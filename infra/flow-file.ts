import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Flow } from '../functions/policy/types.ts';
import { FlowDiscoveryError } from './discover-flows.ts';

export interface FlowFiles {
  readonly flow: Flow;
  /** Absolute path of the module that exports `handler`. */
  readonly handlerFile: string;
  /** Absolute path of the module that exports `flow`. @default `flow.ts` (or `.js`) beside the handler */
  readonly flowFile?: string;
}

/**
 * The module a flow comes from. The functions of replay import it, since a policy holds functions
 * (`stillWanted`, rules, `idempotencyKey`) that no JSON could carry.
 * @throws FlowDiscoveryError when that module has another flow, or none.
 */
export async function flowFileOf({ flow, handlerFile, flowFile }: FlowFiles): Promise<string> {
  const file = flowFile ?? join(dirname(handlerFile), `flow${extname(handlerFile)}`);
  const wayOut = `Give flowFile, the module that exports the flow '${flow.name}' as \`flow\`.`;
  if (!existsSync(file)) {
    throw new FlowDiscoveryError('MISSING_FILE', `There is no ${file}. ${wayOut}`);
  }
  const module: { readonly flow?: { readonly name?: unknown } } = await import(
    pathToFileURL(file).href
  );
  const name = module.flow?.name;
  if (name === flow.name) return file;
  throw new FlowDiscoveryError(
    name === undefined ? 'NO_FLOW_EXPORT' : 'NAME_MISMATCH',
    `${file} exports ${name === undefined ? 'no flow' : `the flow '${name}'`}. ${wayOut}`,
  );
}
