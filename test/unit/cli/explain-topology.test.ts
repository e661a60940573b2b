import { describe, expect, it } from 'vitest';
import { runLayover } from './run-layover.ts';

interface QueueJson {
  readonly name: string;
  readonly role: string;
  readonly delayMs?: number;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

describe('explain', () => {
  it('--json tells schedule, total, classes and queues on one line', async () => {
    const { code, stdout, stderr } = await runLayover('explain', 'orders', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd()).not.toContain('\n');
    const told = JSON.parse(stdout);
    expect(told.totalWaitMs).toBe(10_000 + 60_000 + 300_000 + 1_800_000);
    expect(told.attempts).toHaveLength(5);
    expect(told.classes.bug).toMatchObject({ action: 'park' });
    expect(told.queues.map(({ name }: QueueJson) => name)).toEqual(
      expect.arrayContaining(['orders', 'orders.wait.10s', 'orders.isolated', 'orders.parked']),
    );
  });

  it('tells a person the same', async () => {
    const { code, stdout } = await runLayover('explain', 'orders');
    expect(code).toBe(0);
    expect(stdout).toContain('36m 10s');
    expect(stdout).toContain('orders.wait.30m');
    expect(stdout).toMatch(/^bug +parked at once$/m);
  });
});

describe('topology', () => {
  const model = async (...argv: readonly string[]) => {
    const { code, stdout } = await runLayover('topology', '--json', ...argv);
    expect(code).toBe(0);
    return JSON.parse(stdout) as { queues: QueueJson[]; exchanges: unknown[]; bindings: unknown[] };
  };

  it('--json is the model of every flow', async () => {
    const { queues, exchanges, bindings } = await model();
    const names = queues.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['orders.parked', 'notifications.parked']));
    expect(exchanges).toContainEqual(expect.objectContaining({ name: 'shop', type: 'topic' }));
    expect(bindings).toContainEqual(
      expect.objectContaining({ exchange: 'shop', queue: 'orders', routingKey: 'order.placed' }),
    );
  });

  it('--flow leaves the others out', async () => {
    const { queues } = await model('--flow', 'orders');
    expect(queues.every(({ name }) => name.startsWith('orders'))).toBe(true);
    const wait = queues.find(({ name }) => name === 'orders.wait.10s');
    expect(wait?.arguments).toMatchObject({
      'x-message-ttl': 10_000,
      'x-dead-letter-routing-key': 'orders',
      'x-dead-letter-strategy': 'at-least-once',
    });
  });

  it('tells a person every queue with its arguments', async () => {
    const { stdout } = await runLayover('topology', '--flow', 'orders');
    expect(stdout).toMatch(/^ {2}orders\.parked +parked .*delivery-limit=2000000000/m);
    expect(stdout).toContain('key "order.placed"');
  });

  it('refuses a flow there is none of', async () => {
    expect((await runLayover('topology', '--flow', 'ordres')).code).toBe(2);
  });
});
