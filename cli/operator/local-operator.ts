import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { scaleFlow } from '../../functions/policy/scale-flow.ts';
import type { Flow } from '../../functions/policy/types.ts';
import { ReplayError } from '../../functions/replay/errors.ts';
import { toJson } from '../../functions/replay/function-url.ts';
import { openReplay } from '../../functions/replay/open-replay.ts';
import type { Answers, Wire } from '../../functions/replay/operations/answers.ts';
import { type Operation, operate, type Permission } from '../../functions/replay/operator.ts';
import { RequestReader } from '../../functions/replay/requests.ts';
import { parseReplaySettings } from '../../functions/replay/settings.ts';
import { discoverFlows } from '../../infra/discover-flows.ts';
import { createLocalWorld } from '../../infra/local/replay/local-world.ts';
import { localSurroundings } from './local-surroundings.ts';
import { type Fields, type Operator, permissionOf } from './operator.ts';
import { OperatorError } from './operator-error.ts';

/** As long as a function may take for one request; a longer one is asked again. */
const REQUEST_MS = 120_000;

/**
 * The same code as the functions' in this process, on the broker and the tables of a local run that is
 * up, or those the environment names.
 * @throws OperatorError `NO_LOCAL_REPLAY` that says what is missing
 */
export async function localOperator(amqp: string | undefined): Promise<Operator> {
  const { env, stateFolder, flows: names } = await localSurroundings(amqp, process.env);
  // Clients of the SDK look for their endpoint and credentials here.
  Object.assign(process.env, env);
  const settings = parseReplaySettings(process.env);
  const found = (await discoverFlows()).filter(({ flow }) => names?.includes(flow.name) ?? true);
  const flows = found.map(
    ({ flow }) => scaleFlow(flow, settings.timeScale) as unknown as Flow<never>,
  );
  const replay = openReplay(settings, createLocalWorld(stateFolder));
  // Lines for the function's log; stdout belongs to the command here.
  const ports = { ...replay, log: () => undefined, metric: () => undefined };
  const caller = { by: `local:${userInfo().username}`, requestId: `layover-${randomUUID()}` };
  return {
    environment: settings.environment,
    deployed: false,
    flags: amqp === undefined ? '' : ' --amqp <url>',
    flows: flows.map(({ name }) => name),

    async ask<O extends Operation>(operation: O, fields: Fields = {}, permission?: Permission) {
      const request = new RequestReader(JSON.parse(JSON.stringify({ ...fields, operation })));
      const allowed = permission ?? permissionOf(operation);
      const deadlineAtMs = Date.now() + REQUEST_MS;
      try {
        const answer = await operate(ports, flows, allowed, request, { ...caller, deadlineAtMs });
        // What the wire does to an answer is done here, too.
        return JSON.parse(toJson(answer)) as Wire<Answers[O]>;
      } catch (error) {
        if (!(error instanceof ReplayError)) throw error;
        throw new OperatorError(error.code, error.message, { cause: error });
      }
    },

    close: () => replay.close(),
  };
}
