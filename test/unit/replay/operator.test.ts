import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Flow } from '../../../functions/policy/types.ts';
import type { FunctionUrlEvent } from '../../../functions/replay/function-url.ts';
import { read } from '../../../functions/replay/guards.ts';
import {
  OPERATIONS,
  type OperatorPorts,
  type Permission,
} from '../../../functions/replay/operator.ts';
import { operatorHandler } from '../../../functions/replay/operator-handler.ts';
import { type PollerState, PollersError } from '../../../functions/replay/outside/world.ts';
import { scheduleHandler } from '../../../functions/replay/schedule-handler.ts';
import type { ReplayStore } from '../../../functions/replay/store/replay-store.ts';
import { type ReplayTables, startReplayTables } from '../../helpers/replay-tables.ts';
import { parkedCopy, ReplayWorld, replayFlow } from '../../helpers/replay-world.ts';

const ADA = 'arn:aws:sts::123456789012:assumed-role/oncall/ada';
const context = {
  awsRequestId: 'req-1',
  getRemainingTimeInMillis: () => 60_000,
} as unknown as Context;

let tables: ReplayTables;
let store: ReplayStore;
let world: ReplayWorld;
let flow: Flow<never>;
let switches: [string | undefined, string][];
let pollers: readonly PollerState[];
let totals: Record<string, number>;
let metrics: string[];
let sequence = 0;

beforeAll(async () => {
  tables = await startReplayTables();
});
afterAll(async () => {
  await tables.stop();
});
beforeEach(() => {
  // Refusals are logged; here they are wanted.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  store = tables.openStore();
  world = new ReplayWorld();
  flow = replayFlow(`op-${++sequence}`);
  switches = [];
  pollers = [{ id: 'mapping-1', state: 'Enabled' }];
  totals = { orders: 4, 'orders.wait.10s': 2, 'orders.isolated': 1, 'orders.parked': 3 };
  metrics = [];
  world.parked = [
    parkedCopy(0),
    parkedCopy(1),
    parkedCopy(2, { 'x-failure-class': 'invalid', 'x-failure-signature': 'bad-total' }),
  ];
});

function ports(): OperatorPorts {
  return {
    ...world.ports(store),
    setSwitch: async (name, state) => {
      switches.push([name, state]);
    },
    pollers: async () => pollers,
    setPollers: async (name, enabled) => {
      switches.push([name, enabled ? 'pollers on' : 'pollers off']);
      pollers = pollers.map(({ id }) => ({ id, state: enabled ? 'Enabling' : 'Disabling' }));
      return pollers;
    },
    queueTotal: async (queue) => {
      const total = totals[queue];
      if (total === undefined) throw new Error(`no total for ${queue}`);
      return total;
    },
    parkedSince: async () => new Date('2026-06-01T11:00:00Z'),
    metric: (line) => metrics.push(line),
  };
}

function eventOf(request: unknown, userArn: string | null = ADA): FunctionUrlEvent {
  return {
    body: typeof request === 'string' ? request : JSON.stringify(request),
    requestContext: { requestId: 'req-1', authorizer: { iam: { userArn } } },
  };
}

async function ask(permission: Permission, request: unknown, userArn: string | null = ADA) {
  const handler = operatorHandler(permission, [flow], ports);
  const { statusCode, body } = await handler(eventOf(request, userArn), context);
  return { statusCode, answer: JSON.parse(body) };
}

describe('a person asks', () => {
  it('what is parked, and gets counts by class and signature with the guards', async () => {
    const { statusCode, answer } = await ask('view', { operation: 'parked', flow: flow.name });

    expect(statusCode).toBe(200);
    expect(answer).toMatchObject({
      window: { depth: 3, scanned: 3, complete: true },
      groups: [
        { class: 'transient', count: 2, automatic: 2 },
        { class: 'invalid', count: 1, automatic: 0, skipped: { class: 1 } },
      ],
    });
    expect(world.parked).toHaveLength(3);
  });

  it('for a message, and gets its headers without its body', async () => {
    const { answer } = await ask('view', { operation: 'show', flow: flow.name, messageId: 'm-2' });

    expect(answer).toMatchObject({
      facts: { messageId: 'm-2', class: 'invalid' },
      message: { bytes: 7, properties: { messageId: 'm-2' } },
      automatic: { taken: false, guard: 'class' },
    });
    expect(JSON.stringify(answer)).not.toContain('"n":2');
    expect(answer.message.body).toBeUndefined();
  });

  it('for a body, with the permission for bodies only', async () => {
    const request = { operation: 'body', flow: flow.name, messageId: 'm-2' };

    expect((await ask('view', request)).statusCode).toBe(403);
    const { answer } = await ask('bodies', request);
    expect(Buffer.from(answer.base64, 'base64').toString()).toBe('{"n":2}');
  });

  it('for a plan, runs it, watches it and reads the audit', async () => {
    const filter = { classes: ['transient'] };
    const planned = await ask('replay', {
      operation: 'plan',
      flow: flow.name,
      filter,
      ramp: false,
    });
    expect(planned.answer).toMatchObject({ selected: 2, createdBy: ADA, options: { ramp: false } });

    const ran = await ask('replay', {
      operation: 'run',
      plan: planned.answer.id,
      reason: 'payment is back',
      ticket: 'INC-7',
    });
    expect(ran.answer).toMatchObject({
      kind: 'ended',
      run: { state: 'done', counters: { moved: 2 } },
    });

    const watched = await ask('view', { operation: 'watch', run: planned.answer.id });
    expect(watched.answer).toMatchObject({ state: 'done', order: { by: ADA, ticket: 'INC-7' } });
    const audited = await ask('view', {
      operation: 'audit',
      flow: flow.name,
      run: planned.answer.id,
    });
    expect(audited.answer.map((line: { event: { kind: string } }) => line.event.kind)).toEqual([
      'ended',
      'moved',
      'started',
    ]);
    expect(metrics).toHaveLength(1);
    const status = await ask('view', { operation: 'status' });
    expect(status.answer).toMatchObject([
      { flow: flow.name, switch: 'on', runs: [{ state: 'done', by: ADA }] },
    ]);
  });

  it('to discard, which takes a plan as well', async () => {
    const request = {
      operation: 'plan',
      flow: flow.name,
      action: 'discard',
      filter: { messageIds: ['m-2'] },
    };
    const { answer } = await ask('replay', request);

    const ran = await ask('replay', { operation: 'run', plan: answer.id, reason: 'test data' });

    expect(ran.answer.run.counters).toMatchObject({ discarded: 1 });
    expect(world.exported).toHaveLength(1);
  });

  it('for a run at a pace of its own, which the plan did not say', async () => {
    const planned = await ask('replay', { operation: 'plan', flow: flow.name, ratePerSecond: 5 });

    const ran = await ask('replay', {
      operation: 'run',
      plan: planned.answer.id,
      reason: 'x',
      ratePerSecond: 50,
      ramp: false,
    });

    expect(ran.answer.run.plan.options).toMatchObject({ ratePerSecond: 50, ramp: false });
    const [, , started] = await store.audit.query(flow.name);
    expect(started?.event).toMatchObject({ options: { ratePerSecond: 50, ramp: false } });
  });

  it('to start a run only, and to go on with it, which is counted once', async () => {
    const planned = await ask('replay', { operation: 'plan', flow: flow.name, ramp: false });
    const started = await ask('replay', {
      operation: 'run',
      plan: planned.answer.id,
      reason: 'x',
      patienceMs: 0,
    });
    expect(started.answer).toMatchObject({ kind: 'to-be-continued', run: { state: 'running' } });
    expect(world.parked).toHaveLength(3);

    const request = { operation: 'continue', run: planned.answer.id };
    const ended = await ask('replay', request);
    const again = await ask('replay', request);

    expect(ended.answer).toMatchObject({ kind: 'ended', run: { counters: { moved: 3 } } });
    expect(again.answer).toEqual(ended.answer);
    expect(metrics).toHaveLength(1);
  });

  it('to pause a flow and to let it go on: pollers and replay, with a reason that is kept', async () => {
    const paused = await ask('configure', { operation: 'pause', flow: flow.name, reason: 'fix' });
    expect(paused.answer).toEqual({
      flow: flow.name,
      pollers: [{ id: 'mapping-1', state: 'Disabling' }],
      switch: 'off',
    });
    await ask('configure', { operation: 'resume', flow: flow.name, reason: 'fixed' });

    expect(switches).toEqual([
      [flow.name, 'off'],
      [flow.name, 'pollers off'],
      [flow.name, 'pollers on'],
      [flow.name, 'on'],
    ]);
    const lines = await store.audit.query(flow.name);
    expect(lines.map(({ event }) => event.kind)).toEqual([
      'switched',
      'resumed',
      'paused',
      'switched',
    ]);
    expect(lines[2]?.event).toMatchObject({ by: ADA, reason: 'fix' });
  });

  it('to pause a flow whose pollers can not be switched: replay is off, and the audit knows', async () => {
    const half = [{ id: 'mapping-1', state: 'Disabling' }];
    const broken: OperatorPorts = {
      ...ports(),
      setPollers: () => Promise.reject(new PollersError([], 'mapping-2 is in use', half)),
    };
    const handler = operatorHandler('configure', [flow], () => broken);
    const request = { operation: 'pause', flow: flow.name, reason: 'fix' };

    const { statusCode, body } = await handler(eventOf(request), context);

    expect(statusCode).toBe(502);
    expect(JSON.parse(body)).toMatchObject({
      code: 'POLLERS',
      message: expect.stringContaining('mapping-2 is in use'),
    });
    expect(switches).toEqual([[flow.name, 'off']]);
    const lines = await store.audit.query(flow.name);
    expect(lines.map(({ event }) => event)).toEqual([
      expect.objectContaining({ kind: 'paused', by: ADA, pollers: half }),
      expect.objectContaining({ kind: 'switched', to: 'off', by: ADA, reason: 'fix' }),
    ]);
  });

  it('how flows stand, and is told which figures are not known', async () => {
    const { answer } = await ask('view', { operation: 'status', flow: flow.name });

    expect(answer).toMatchObject([
      {
        environment: 'local',
        flow: flow.name,
        depth: {
          work: 4,
          waiting: 2,
          isolated: { unknown: 'no total for orders.isolated.wait' },
          parked: 3,
        },
        parkedSince: '2026-06-01T11:00:00.000Z',
        pollers: [{ id: 'mapping-1', state: 'Enabled' }],
      },
    ]);
  });

  it('for the audit without the looks of the schedule that moved nothing', async () => {
    const skipped = { kind: 'skipped', because: { class: 3 }, detail: '', selected: 0 } as const;
    await ask('configure', { operation: 'switch', flow: flow.name, state: 'off', reason: 'x' });
    for (let n = 0; n < 3; n++) {
      await store.audit.append(flow.name, undefined, skipped, world.nowMs + n);
    }
    const kindsOf = async (fields: object) => {
      const { answer } = await ask('view', { operation: 'audit', flow: flow.name, ...fields });
      return answer.map((line: { event: { kind: string } }) => line.event.kind);
    };

    expect(await kindsOf({ limit: 2 })).toEqual(['skipped', 'skipped']);
    expect(await kindsOf({ limit: 2, skipped: false })).toEqual(['switched']);
  });

  it('to cancel a run nobody works on, and the flow is free for another', async () => {
    const plan = { operation: 'plan', flow: flow.name };
    const first = (await ask('replay', plan)).answer;
    await ask('replay', { operation: 'run', plan: first.id, reason: 'x', patienceMs: 0 });

    const cancelled = await ask('replay', { operation: 'cancel', run: first.id });
    const second = (await ask('replay', plan)).answer;
    const ran = await ask('replay', {
      operation: 'run',
      plan: second.id,
      reason: 'y',
      patienceMs: 0,
    });

    expect(cancelled.answer).toEqual({ asked: true });
    expect(await store.runs.get(first.id)).toMatchObject({ state: 'cancelled' });
    expect(world.parked).toHaveLength(3);
    expect(ran.answer).toMatchObject({ run: { state: 'running' } });
  });

  it('for more than Lambda hands on, and is told so', async () => {
    world.parked = [{ ...parkedCopy(7), content: Buffer.alloc(5_000_000, 'x') }];
    const request = { operation: 'body', flow: flow.name, messageId: 'm-7' };

    const { statusCode, answer } = await ask('bodies', request);

    expect(statusCode).toBe(413);
    expect(answer).toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringContaining('6.7 MB'),
    });
  });

  it('to cancel a plan', async () => {
    const planned = await ask('replay', { operation: 'plan', flow: flow.name });

    const cancelled = await ask('replay', { operation: 'cancel', run: planned.answer.id });

    expect(cancelled.answer).toEqual({ asked: true });
    const ran = await ask('replay', { operation: 'run', plan: planned.answer.id, reason: 'x' });
    expect(ran).toMatchObject({ statusCode: 409, answer: { code: 'PLAN_USED' } });
  });

  it('to pull a brake without a word, which the audit says', async () => {
    const off = await ask('configure', { operation: 'switch', flow: flow.name, state: 'off' });
    expect(off.statusCode).toBe(200);
    const paused = await ask('configure', { operation: 'pause', flow: flow.name, reason: ' ' });
    expect(paused.statusCode).toBe(200);

    const lines = await store.audit.query(flow.name, {});
    expect(lines).toHaveLength(3);
    for (const { event } of lines) expect(event).toMatchObject({ by: ADA, reason: 'not given' });
  });

  it('to switch replay off, for one flow or all, with a reason that is kept', async () => {
    await ask('configure', {
      operation: 'switch',
      flow: flow.name,
      state: 'off',
      reason: 'incident',
    });
    await ask('configure', { operation: 'switch', state: 'on', reason: 'over' });

    expect(switches).toEqual([
      [flow.name, 'off'],
      [undefined, 'on'],
    ]);
    const [line] = await store.audit.query(flow.name);
    expect(line?.event).toEqual({ kind: 'switched', by: ADA, to: 'off', reason: 'incident' });
  });
});

describe('a request is refused', () => {
  it.each([null, 'ada'])('when AWS did not say who asks (%j)', async (userArn) => {
    const { statusCode, answer } = await ask('view', { operation: 'status' }, userArn);

    expect(statusCode).toBe(403);
    expect(answer.message).toContain('AWS_IAM');
  });

  it('of each operation by every other permission', async () => {
    const all = Object.values(OPERATIONS).flat();
    for (const permission of Object.keys(OPERATIONS) as Permission[]) {
      const own: readonly string[] = OPERATIONS[permission];
      for (const operation of all.filter((other) => !own.includes(other))) {
        expect(
          (await ask(permission, { operation })).statusCode,
          `${permission} ${operation}`,
        ).toBe(403);
      }
    }
  });

  it.each([
    ['no JSON', 'view', '{', 'no JSON body'],
    ['a list', 'view', [], 'must be a JSON object'],
    ['no operation', 'view', {}, 'operation must be a text, got nothing.'],
    [
      'a wrong filter',
      'replay',
      { operation: 'plan', filter: { class: [] } },
      'filter.class must be one of',
    ],
    [
      'a wrong rate',
      'replay',
      { operation: 'plan', ratePerSecond: 0 },
      'ratePerSecond must be a number above 0',
    ],
    ['a wrong ramp', 'replay', { operation: 'plan', ramp: 'no' }, 'ramp must be true or false'],
    [
      'a wrong action',
      'replay',
      { operation: 'plan', action: 'purge' },
      'action must be replay or discard',
    ],
    [
      'a wrong state',
      'configure',
      { operation: 'switch', state: 'maybe', reason: 'x' },
      'state must be one of',
    ],
    ['no reason', 'configure', { operation: 'switch', state: 'on' }, 'reason must be a text'],
    ['no reason to go on', 'configure', { operation: 'resume' }, 'reason must be a text'],
    [
      'a reason that is none',
      'configure',
      { operation: 'switch', state: 'off', reason: 7 },
      'reason must be a text',
    ],
    ['a wrong time', 'view', { operation: 'audit', from: 'soon' }, 'from must be a time'],
    ['a wrong limit', 'view', { operation: 'audit', limit: 0 }, 'limit must be a whole number'],
    [
      'a wrong patience',
      'replay',
      { operation: 'continue', run: 'x', patienceMs: -1 },
      'patienceMs',
    ],
  ] as const)('with %s', async (_name, permission, request, message) => {
    const withFlow =
      typeof request === 'object' && !Array.isArray(request) && 'operation' in request
        ? { flow: flow.name, ...request }
        : request;

    const { statusCode, answer } = await ask(permission, withFlow);

    expect(statusCode).toBe(400);
    expect(answer.message).toContain(message);
  });

  it('for a flow there is none of, with the one that may have been meant', async () => {
    const { statusCode, answer } = await ask('view', {
      operation: 'parked',
      flow: `${flow.name}x`,
    });

    expect(statusCode).toBe(404);
    expect(answer.code).toBe('FLOW_UNKNOWN');
    expect(answer.message).toContain(`there are: ${flow.name}. Did you mean ${flow.name}?`);
    const far = await ask('view', { operation: 'parked', flow: 'payments' });
    expect(far.answer.message).not.toContain('Did you mean');
  });

  it('for a message that is not parked', async () => {
    const { statusCode, answer } = await ask('view', {
      operation: 'show',
      flow: flow.name,
      messageId: 'm-9',
    });

    expect(statusCode).toBe(404);
    expect(answer.message).toContain("No message 'm-9' among the 3 parked");
  });

  it('for a plan nobody made', async () => {
    const { statusCode } = await ask('replay', { operation: 'run', plan: 'nothing', reason: 'x' });

    expect(statusCode).toBe(404);
  });

  it('without telling a stranger what broke inside', async () => {
    const broken = operatorHandler('view', [flow], () => {
      throw new Error('secret detail');
    });

    const { statusCode, body } = await broken(eventOf({ operation: 'status' }), context);

    expect(statusCode).toBe(500);
    expect(body).not.toContain('secret');
  });
});

describe('the schedule', () => {
  it('looks at every flow although one fails, and fails at the end', async () => {
    const other = replayFlow(`op-${++sequence}`);
    const asked: string[] = [];
    const handler = scheduleHandler([flow, other], () => ({
      options: { observe: true, ownAlarms: { [other.name]: ['own'] } },
      ports: {
        ...ports(),
        readings: async ({ name }, alarmNames) => {
          asked.push(`${name}:${alarmNames.join()}`);
          if (name === flow.name) throw new Error('broken');
          return {
            switchState: read('on'),
            parkedDepth: read(0),
            workDepth: read(0),
            alarms: read([]),
            budgetUsed: read(0),
          };
        },
      },
    }));

    await expect(handler({}, context)).rejects.toThrow(`${flow.name}: Error: broken`);

    expect(asked).toEqual([`${flow.name}:`, `${other.name}:own`]);
  });
});
