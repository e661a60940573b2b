import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'aws-lambda';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import type { AlarmState, SwitchState } from '../../../functions/replay/guards.ts';
import { type OpenReplay, openReplay } from '../../../functions/replay/open-replay.ts';
import { operatorHandler } from '../../../functions/replay/operator-handler.ts';
import { createFileExporter } from '../../../functions/replay/outside/export-file.ts';
import type { OutsideWorld } from '../../../functions/replay/outside/world.ts';
import { scheduleHandler } from '../../../functions/replay/schedule-handler.ts';
import { parseReplaySettings } from '../../../functions/replay/settings.ts';
import { brokerUrl, managementUrl } from '../../helpers/broker.ts';
import { type ReplayBroker, replayBroker } from '../../helpers/replay-broker.ts';
import { type ReplayTables, startReplayTables } from '../../helpers/replay-tables.ts';
import { until } from '../../helpers/until.ts';

let tables: ReplayTables;
let printed: string;

beforeAll(async () => {
  tables = await startReplayTables();
});
afterAll(async () => {
  await tables.stop();
});
beforeEach(() => {
  for (const [name, value] of Object.entries(tables.env)) vi.stubEnv(name, value);
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const context = {
  awsRequestId: 'req',
  getRemainingTimeInMillis: () => 60_000,
} as unknown as Context;
const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

/** The deployed wiring, with the switch and the alarms of this test. */
async function open(
  changes: { switch?: SwitchState; alarms?: readonly AlarmState[] } = {},
): Promise<OpenReplay> {
  const folder = await mkdtemp(join(tmpdir(), 'layover-export-'));
  const outside: OutsideWorld = {
    killSwitch: async () => changes.switch ?? 'on',
    setSwitch: async () => undefined,
    pollers: async () => [],
    setPollers: async () => [],
    alarmStates: async () => changes.alarms ?? [],
    exporter: createFileExporter(folder),
  };
  const settings = parseReplaySettings({
    ...tables.env,
    AMQP_URL: brokerUrl(),
    LAYOVER_MANAGEMENT_URL: managementUrl(),
    LAYOVER_REPLAY_TABLE: tables.replayTableName,
    LAYOVER_AUDIT_TABLE: tables.auditTableName,
    LAYOVER_REPLAY_MODE: 'on',
  });
  const replay = openReplay(settings, outside);
  onTestFinished(async () => {
    await replay.close();
    await rm(folder, { recursive: true, force: true });
  });
  return replay;
}

async function tick({ flow }: ReplayBroker, ports: OpenReplay, observe = false): Promise<void> {
  const options = { observe, ownAlarms: {} };
  await scheduleHandler([flow], () => ({ ports, options }))({}, context);
}

/** Consumes as a healthy consumer does, telling outcomes. */
async function consume({ scratch, flow }: ReplayBroker, ports: OpenReplay): Promise<string[]> {
  const seen: string[] = [];
  const channel = await scratch.sideChannel();
  await channel.consume(flow.queue, (delivery) => {
    if (delivery === null) return;
    const messageId = String(delivery.properties.messageId);
    seen.push(messageId);
    const runId = String(delivery.properties.headers?.['x-replay-run']);
    void ports.store.outcomes
      .record({ runId, messageId, ok: true }, Date.now())
      .then(() => channel.ack(delivery));
  });
  return seen;
}

/** The totals of the management API follow the queue after some seconds. */
async function totalKnown(ports: OpenReplay, { flow }: ReplayBroker, count: number): Promise<void> {
  await until(
    `a total of ${count}`,
    async () => {
      const { parkedDepth } = await ports.readings(flow, []);
      return parkedDepth.kind === 'read' && parkedDepth.value === count;
    },
    { timeoutMs: 30_000, intervalMs: 250 },
  );
}

describe('the schedule’s function on a real broker', () => {
  it('replays the transient, leaves the invalid, and counts both', async () => {
    const broker = await replayBroker();
    const ports = await open();
    await broker.park(0, 6, (n) => ({
      'x-failure-last-at': hourAgo(),
      'x-failure-class': n % 2 === 0 ? 'transient' : 'invalid',
    }));
    await totalKnown(ports, broker, 6);
    const seen = await consume(broker, ports);

    await tick(broker, ports);

    expect(seen).toEqual(['m-0', 'm-2', 'm-4']);
    expect(await broker.scratch.ready(broker.parked)).toBe(3);
    const metrics = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(metrics).toContainEqual(expect.objectContaining({ Replayed: 3 }));
    expect(metrics).toContainEqual(expect.objectContaining({ guard: 'class', ReplaySkipped: 3 }));
    expect(metrics).toContainEqual(expect.objectContaining({ messageId: 'm-4', deed: 'moved' }));
  });

  it.each([
    ['kill-switch', { switch: 'off' as const }, []],
    ['alarms', { alarms: [{ name: 'payment', state: 'ALARM' }] }, ['payment']],
  ])('does not open parking because of %s', async (guard, changes, quietAlarms) => {
    const broker = await replayBroker({ quietAlarms });
    const ports = await open(changes);
    await broker.park(0, 3, () => ({ 'x-failure-last-at': hourAgo() }));
    await totalKnown(ports, broker, 3);

    await tick(broker, ports);

    expect(printed).toContain(`"guard":"${guard}"`);
    expect(await broker.scratch.ready(broker.flow.queue)).toBe(0);
    const message = await broker.scratch.take(broker.parked);
    // Never looked at: the broker has not counted a delivery.
    expect(message.properties.headers?.['x-delivery-count'] ?? 0).toBe(0);
    broker.scratch.channel.nack(message);
  });
});

describe('the operator’s functions on a real broker', () => {
  it('discard what a person chose, exported before', async () => {
    const broker = await replayBroker();
    const ports = await open();
    await broker.park(0, 3);
    const handler = operatorHandler('replay', [broker.flow], () => ports);
    const ask = async (request: object) => {
      const iam = { userArn: 'arn:aws:iam::1:user/ada' };
      const event = { body: JSON.stringify(request), requestContext: { authorizer: { iam } } };
      return JSON.parse((await handler(event, context)).body);
    };
    const filter = { messageIds: ['m-1'] };

    const plan = await ask({
      operation: 'plan',
      flow: broker.flow.name,
      action: 'discard',
      filter,
    });
    const end = await ask({ operation: 'run', plan: plan.id, reason: 'test data' });

    expect(end).toMatchObject({
      kind: 'ended',
      run: { state: 'done', counters: { discarded: 1 } },
    });
    await until(
      'the rest to be ready',
      async () => (await broker.scratch.ready(broker.parked)) === 2,
    );
    expect(await broker.scratch.drain(broker.parked, 2)).toEqual(['{"n":0}', '{"n":2}']);
    const kinds = (await ports.store.audit.query(broker.flow.name)).map(({ event }) => event.kind);
    expect(kinds.toReversed()).toEqual(['started', 'exported', 'discarded', 'ended']);
  });
});
