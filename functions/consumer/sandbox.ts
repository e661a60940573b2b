import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createSession } from '../broker/session.ts';
import { scaleFlow } from '../policy/scale-flow.ts';
import type { Flow } from '../policy/types.ts';
import { openOutcomeRecorder } from '../replay/open-outcomes.ts';
import type { OutcomeRecorder } from '../replay/outcome-recorder.ts';
import { createDynamoClaims } from './dynamo-claims.ts';
import type { Handle } from './handler-types.ts';
import type { Sandbox } from './invocation.ts';
import { noClaims } from './no-claims.ts';
import { parseSettings, type Settings } from './settings.ts';

const DAY_MS = 86_400_000;

/** Builds what lives as long as the sandbox, from the environment. Throws for wrong settings. */
export function openSandbox<Payload>(
  flow: Flow<Payload>,
  handle: Handle<Payload>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Sandbox<Payload> {
  const settings = parseSettings(env);
  const { environment } = settings;
  const client = once(openClient);
  return {
    flow: scaleFlow(flow, settings.timeScale),
    handle,
    environment,
    session: createSession(settings.broker, { connectionName: `layover ${flow.name}` }),
    ...claimsOf(flow, settings, client),
    ...outcomesOf(settings, client),
    logger: new Logger({
      serviceName: 'layover',
      persistentKeys: { environment, flow: flow.name },
    }),
    now: Date.now,
    random: Math.random,
  };
}

/** A record is kept for as long as any copy of its message may still come back by itself. */
function claimsOf<Payload>(
  flow: Flow<Payload>,
  { tableName }: Settings,
  client: () => DynamoDBClient,
) {
  if (tableName === undefined) return { claims: noClaims, canProve: false };
  const claims = createDynamoClaims({
    client: client(),
    tableName,
    keepMs: flow.schedule.maxElapsedMs + flow.replay.maxAgeMs + DAY_MS,
    rememberCompleted: flow.idempotency.enabled,
  });
  return { claims, canProve: true };
}

/**
 * Made with the first replayed message that comes: most sandboxes never see one. Imported all the same, since
 * a module that is loaded later keeps the bundler from shaking what it shares with the others.
 */
function outcomesOf({ replayTableName }: Settings, client: () => DynamoDBClient) {
  if (replayTableName === undefined) return {};
  const recorder = once(() =>
    openOutcomeRecorder({ client: client(), tableName: replayTableName, now: Date.now }),
  );
  const recordOutcome: OutcomeRecorder['recordOutcome'] = (report) =>
    recorder().recordOutcome(report);
  return { recordOutcome };
}

/** Short answers or none: settling tries again by itself, and has a deadline to keep. */
function openClient(): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
  });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
