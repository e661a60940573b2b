import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Flow } from '../policy/types.ts';
import { memoryStore } from '../probe/memory-store.ts';
import { parkedQueueName } from '../topology/names.ts';
import type { Readings } from './automatic.ts';
import { createBrokerSide } from './broker-side.ts';
import { read, reading } from './guards.ts';
import type { OperatorPorts } from './operator.ts';
import { createQueueTotals } from './outside/queue-totals.ts';
import type { OutsideWorld } from './outside/world.ts';
import type { ReplaySettings } from './settings.ts';
import { createReplayStore } from './store/replay-store.ts';
import type { TickPorts } from './tick.ts';
import { createWorkStates } from './work-states.ts';

export interface OpenReplay extends OperatorPorts, TickPorts {
  close(): Promise<void>;
}

/** Everything a replay function works with, built once per sandbox. */
export function openReplay(settings: ReplaySettings, outside: OutsideWorld): OpenReplay {
  const now = Date.now;
  const client = new DynamoDBClient({});
  const store = createReplayStore({
    client,
    tableName: settings.replayTableName,
    auditTableName: settings.auditTableName,
  });
  const side = createBrokerSide(settings.broker, now);
  const { tableName } = settings;
  const totals =
    outside.queueTotal ??
    createQueueTotals({
      broker: settings.broker,
      vhost: settings.vhost,
      now,
      ...(settings.managementUrl === undefined ? {} : { managementUrl: settings.managementUrl }),
    });
  return {
    environment: settings.environment,
    vhost: settings.vhost,
    store,
    openParking: side.openParking,
    publish: side.publish,
    killSwitch: (flow) => outside.killSwitch(flow),
    setSwitch: (flow, state) => outside.setSwitch(flow, state),
    pollers: (flow) => outside.pollers(flow),
    setPollers: (flow, enabled) => outside.setPollers(flow, enabled),
    queueTotal: totals,
    parkedSince: parkedSinceOf(settings),
    exporter: outside.exporter,
    workStates:
      tableName === undefined
        ? async (_flow, messages) => messages.map(() => read('none'))
        : createWorkStates({ client, tableName, now }),
    readings: (flow, alarmNames) => readWorld(flow, alarmNames, { outside, store, totals, now }),
    log: (lines) => printLines(lines.map((line) => JSON.stringify(line))),
    metric: (line) => printLines([line]),
    now,
    wait: async (ms, signal) => {
      await wait(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    },
    breathe: setImmediate,
    newId: randomUUID,
    close: async () => {
      await side.close();
      client.destroy();
    },
  };
}

/** The probe keeps its memory in the table of claims; without one nobody knows. */
function parkedSinceOf({ tableName }: ReplaySettings): OperatorPorts['parkedSince'] {
  const probe = tableName === undefined ? undefined : memoryStore(tableName);
  return async (flow) => {
    const sinceMs = (await probe?.load())?.parking[flow]?.filledSinceMs;
    return sinceMs === undefined ? undefined : new Date(sinceMs);
  };
}

interface Sources {
  readonly outside: OutsideWorld;
  readonly store: TickPorts['store'];
  readonly totals: (queue: string) => Promise<number>;
  readonly now: () => number;
}

async function readWorld(
  flow: Flow<never>,
  alarmNames: readonly string[],
  { outside, store, totals, now }: Sources,
): Promise<Readings> {
  const [switchState, parkedDepth, workDepth, alarms, budgetUsed] = await Promise.all([
    reading(() => outside.killSwitch(flow.name)),
    reading(() => totals(parkedQueueName(flow.queue))),
    reading(() => totals(flow.queue)),
    reading(() => (alarmNames.length === 0 ? [] : outside.alarmStates(alarmNames))),
    reading(() => store.budget.used(flow.name, now())),
  ]);
  return { switchState, parkedDepth, workDepth, alarms, budgetUsed };
}

/** One write for many lines: a run of thousands must not spend its time on them. */
function printLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
}
