import { discoverFlows } from '../infra/discover-flows.ts';
import { UsageError } from './exit.ts';

/** The flow of a name as typed; an unknown one is refused with the list of those there are. */
export async function flowNamed(name: string) {
  const flows = await discoverFlows();
  const found = flows.find((each) => each.flow.name === name);
  if (found) return found;
  const names = flows.map((each) => each.flow.name).join(', ');
  throw new UsageError(
    `There is no flow '${name}' in functions/flows. There are: ${names}. A new one: npm run -s layover -- new ${/^[a-z][a-z0-9-]*$/.test(name) ? name : '<flow>'}`,
  );
}
