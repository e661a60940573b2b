import { describe, expect, it } from 'vitest';
import { classify } from '../../../functions/policy/classify.ts';
import { normaliseMessage } from '../../../functions/policy/signature.ts';
import { ownFrame } from '../../../functions/policy/stack-frame.ts';

const options = { rules: [], sensitive: [], now: new Date('2026-01-01T00:00:00Z') };
const signature = (thrown: unknown) => classify(thrown, options).signature;
/** An error whose frames are these. */
const at = (message: string, ...frames: string[]) => ({
  name: 'Error',
  message,
  stack: [`Error: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n'),
});

describe('a signature is equal', () => {
  it.each<[string, unknown, unknown]>([
    ['for other ids', new Error('order 4711 not found'), new Error('order 12 not found')],
    [
      'for other UUIDs',
      new Error('no user 3fa85f64-5717-4562-b3fc-2c963f66afa6'),
      new Error('no user 00000000-0000-4000-8000-000000000000'),
    ],
    [
      'for other quoted text',
      new Error(`no "bob" in 'users'`),
      new Error(`no "alice o'hara" in 'orders'`),
    ],
    [
      'for other hex',
      new Error('checksum deadbeefcafe differs'),
      new Error('checksum 0x00ff00ff differs'),
    ],
    [
      'for other e-mail addresses',
      new Error('bounced: bob@example.com'),
      new Error('bounced: a.b+c@mail.example.org'),
    ],
    [
      'for another path of one host',
      new Error('GET https://api.test/v1/orders/7?x=1 failed'),
      new Error('GET https://api.test/v1/orders/abc failed'),
    ],
    [
      'for another address',
      new Error('connect ECONNREFUSED 10.0.0.1:5432'),
      new Error('connect ECONNREFUSED 127.0.0.1:80'),
    ],
    [
      'for IPv6 and IPv4',
      new Error('connect ECONNREFUSED ::1:5432'),
      new Error('connect ECONNREFUSED 127.0.0.1:5432'),
    ],
    [
      'for another time',
      new Error('locked since 2026-01-01T00:00:00.000Z'),
      new Error('locked since 2025-12-24T13:37:00.123Z'),
    ],
    [
      'for one more member of an aggregate',
      new AggregateError([new Error('no 1')], 'all'),
      new AggregateError([new Error('no 1'), new Error('no 2')], 'all'),
    ],
    [
      'after a deploy that moves lines',
      at('x', 'charge (/var/task/index.mjs:10:5)'),
      at('x', 'charge (/var/task/index.mjs:912:17)'),
    ],
    [
      'after a deploy into another directory',
      at('x', 'charge (/var/task/index.mjs:1:1)'),
      at('x', 'charge (/tmp/asset.8f3a/index.mjs:1:1)'),
    ],
    [
      'for another content hash in the file',
      at('x', 'charge (/t/handler-4F2A9C1B.mjs:1:1)'),
      at('x', 'charge (/t/handler-ABCDEFGH.mjs:1:1)'),
    ],
    [
      'on Windows',
      at('x', 'charge (/app/src/handler.ts:1:1)'),
      at('x', 'charge (C:\\Program Files (x86)\\app\\handler.ts:1:1)'),
    ],
    [
      'for file:// frames',
      at('x', 'charge (/app/src/handler.ts:1:1)'),
      at('x', 'charge (file:///C:/app/handler.ts?v=3:1:1)'),
    ],
    [
      'for an async frame',
      at('x', 'charge (/a/h.mjs:1:1)'),
      at('x', 'async charge (/a/h.mjs:1:1)'),
    ],
    [
      'however deep Node was',
      at('x', 'charge (/a/h.mjs:1:1)'),
      at('x', 'node:internal/process/task_queues:95:5', 'charge (/a/h.mjs:1:1)'),
    ],
  ])('%s', (_title, left, right) => {
    expect(signature(left)).toBe(signature(right));
  });
});

describe('a signature differs', () => {
  it.each<[string, unknown, unknown]>([
    [
      'for another class',
      { name: 'E', message: 'x', status: 404 },
      { name: 'E', message: 'x', status: 500 },
    ],
    ['for another name', { name: 'A', message: 'x' }, { name: 'B', message: 'x' }],
    ['for other words', new Error('order not found'), new Error('order not payable')],
    [
      'for another cause',
      new Error('save', { cause: new Error('left') }),
      new Error('save', { cause: new Error('right') }),
    ],
    [
      'for another host',
      new Error('GET https://a.test/x failed'),
      new Error('GET https://b.test/x failed'),
    ],
    ['for another function', at('x', 'charge (/a/h.mjs:1:1)'), at('x', 'refund (/a/h.mjs:1:1)')],
    ['for another file', at('x', 'run (/a/orders.mjs:1:1)'), at('x', 'run (/a/payments.mjs:1:1)')],
  ])('%s', (_title, left, right) => {
    expect(signature({ ...described(left) })).not.toBe(signature({ ...described(right) }));
  });
});

/** Without the test's own stack, which would make any two differ or not by accident. */
function described(thrown: unknown): object {
  if (!(thrown instanceof Error)) return thrown as object;
  const cause = thrown.cause === undefined ? {} : { cause: described(thrown.cause) };
  return { name: thrown.name, message: thrown.message, ...cause };
}

describe('a normalised message', () => {
  it.each([
    ["order 4711 of 'bob' not found", "order # of '' not found"],
    ["can't find user's order", "can't find user's order"],
    ['value "a \\" b" is bad', 'value "" is bad'],
    ['`x` and “y”', "`` and ''"],
    ['  two\n lines ', 'two lines'],
    ['ids [1, 2, 3] and [4]', 'ids [#] and [#]'],
    ['amqp://user:pw@broker/vhost refused', 'amqp://broker refused'],
    ['key ord_8fK2x missing', 'key # missing'],
    ['', ''],
  ])('%j → %j', (message, normalised) => {
    expect(normaliseMessage(message)).toBe(normalised);
  });

  it('of a megabyte takes no time', () => {
    for (const unit of ['a', '"', "'", '1', '-', '://', 'a@', '\\"', '#.', '[::']) {
      const started = performance.now();
      normaliseMessage(unit.repeat(1_000_000));
      expect(performance.now() - started).toBeLessThan(200);
    }
  });
});

describe('the own frame', () => {
  const frame = (...lines: string[]) =>
    ownFrame(['Error: m', ...lines.map((line) => `    at ${line}`)].join('\n'), 'm');

  it.each([
    ['charge (/var/task/index.mjs:1:2)', 'charge@index'],
    ['new Charge (/var/task/index.mjs:1:2)', 'new Charge@index'],
    ['Charge.run [as handler] (/var/task/index.mjs:1:2)', 'Charge.run@index'],
    ['Object.<anonymous> (/var/task/index.mjs:1:2)', '@index'],
    ['Object.run (/var/task/index.cjs:1:2)', 'run@index'],
    ['/var/task/index.mjs:1:2', '@index'],
    ['file:///var/task/handler.js:1:2', '@handler'],
    ['async file:///var/task/handler.js:1:2', '@handler'],
    ['run (webpack-internal:///./src/orders.ts:1:2)', 'run@orders'],
    ['run (C:\\app\\orders.ts:1:2)', 'run@orders'],
  ])('of %s is %s', (line, expected) => {
    expect(frame(line)).toBe(expected);
  });

  it.each([
    'node:internal/deps/undici/undici:1:2',
    'process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
    'Client.query (/var/task/node_modules/pg/lib/client.js:1:2)',
    'Client.query (C:\\app\\node_modules\\pg\\lib\\client.js:1:2)',
    'Runtime.handleOnce (file:///var/runtime/index.mjs:1:2)',
    'async Promise.all (index 0)',
    'new Promise (<anonymous>)',
    'Array.map (<anonymous>)',
    'eval (eval at compile (/a/b.js:1:2), <anonymous>:1:1)',
    'run (native)',
  ])('passes over %s', (line) => {
    expect(frame(line)).toBeUndefined();
    expect(frame(line, 'mine (/a/mine.mjs:1:2)')).toBe('mine@mine');
  });

  it('is not taken from a message that looks like frames', () => {
    const message = 'upstream said:\n    at evil (/x/forged.js:1:1)';

    expect(ownFrame(`Error: ${message}\n    at mine (/a/mine.mjs:1:2)`, message)).toBe('mine@mine');
  });

  it('is absent without a stack', () => {
    expect(ownFrame(undefined, 'm')).toBeUndefined();
    expect(ownFrame('Error: m', 'm')).toBeUndefined();
  });

  it('of a real error is the function that made it', () => {
    function chargeCard(): Error {
      return new Error('declined');
    }
    const error = chargeCard();

    expect(ownFrame(error.stack, error.message)).toBe('chargeCard@signature.test');
  });
});
