import { suggest } from '../../policy/suggest.ts';
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
  const meant = suggest(name, names);
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new ReplayError(
    'FLOW_UNKNOWN',
    `There is no flow '${name}'; there are: ${names.join(', ')}.${question}`,
  );
}
