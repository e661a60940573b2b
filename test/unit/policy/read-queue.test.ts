import { describe, expect, it } from 'vitest';
import { complaintsOf, givenFlow } from './given-flow.ts';

describe('the name of a flow', () => {
  it.each(['orders', 'order-mails', 'a1', 'x'.repeat(40)])('may be %s', (name) => {
    expect(givenFlow({ name }).name).toBe(name);
  });

  it.each([['Orders'], ['order_mails'], ['1st'], ['-a'], ['a-'], ['a--b'], [''], ['x'.repeat(41)]])(
    'may not be %s',
    (name) => {
      expect(complaintsOf({ name })[0]).toContain(
        "name: expected the flow's folder name in small letters, digits and dashes, at most 40",
      );
    },
  );

  it.each([[undefined], [null], [7]])('may not be %o', (name) => {
    expect(complaintsOf({ name })).toEqual([expect.stringContaining(`got ${name}`)]);
  });
});

describe('the work queue', () => {
  it('is named like the flow unless the flow says otherwise', () => {
    expect(givenFlow().queue).toBe('orders');
    expect(givenFlow({ queue: 'shop.orders::v2' }).queue).toBe('shop.orders::v2');
  });

  it('is ours unless the flow says otherwise', () => {
    expect(givenFlow().queueMode).toBe('declare');
    expect(givenFlow({ queueMode: 'existing' }).queueMode).toBe('existing');
    expect(complaintsOf({ queueMode: 'exsiting' })).toEqual([
      "queueMode: expected one of 'declare', 'existing', got 'exsiting'; did you mean 'existing'?",
    ]);
  });

  it('case 6: a name of 240 bytes in multibyte letters is refused with its length in bytes', () => {
    expect(complaintsOf({ queue: 'é'.repeat(120) })).toEqual([
      "queue: is 240 bytes long, and 258 bytes with the longest name derived from it ('….wait.4294967295ms'); RabbitMQ allows 180 of a name with other than ASCII letters, so shorten it to 162 bytes",
    ]);
  });

  it('case 6: a name may have 237 bytes, or 162 with other than ASCII letters', () => {
    expect(complaintsOf({ queue: 'q'.repeat(237) })).toEqual([]);
    expect(complaintsOf({ queue: 'é'.repeat(81) })).toEqual([]);
    expect(complaintsOf({ queue: 'é'.repeat(82) })).toHaveLength(1);
    expect(complaintsOf({ queue: 'q'.repeat(238) })).toHaveLength(1);
    expect(complaintsOf({ queue: '😀'.repeat(60) })[0]).toContain('is 240 bytes long');
  });

  it.each([
    ['', "expected a queue's name, got ''"],
    [null, "expected a queue's name, got null"],
    [7, "expected a queue's name, got 7"],
    [Symbol('q'), "expected a queue's name, got Symbol(q)"],
    [' orders', 'has blanks at an end'],
    ['ord\ners', 'has blanks at an end, control characters'],
    ['ord\ud800', 'half a surrogate pair'],
    ['amq.orders', "names starting with 'amq.' are the broker's own"],
    ['orders.parked', "'.parked' is how Layover ends the names of its own queues; rename it"],
    ['orders.parked.lock', "'.parked.lock' is how Layover"],
    ['orders.isolated', "'.isolated' is how Layover"],
    ['orders.isolated.wait', "'.isolated.wait' is how Layover"],
    ['orders.wait.30s', "'.wait.30s' is how Layover"],
  ])('may not be named %o', (queue, text) => {
    expect(complaintsOf({ queue })).toEqual([expect.stringContaining(text)]);
  });

  it('may be named after parking without being taken for a parking queue', () => {
    expect(complaintsOf({ queue: 'parked' })).toEqual([]);
    expect(complaintsOf({ queue: 'orders.parked.eu' })).toEqual([]);
    expect(complaintsOf({ queue: 'orders.wait.list' })).toEqual([]);
  });
});

describe('bindings', () => {
  const binding = (given: unknown) => complaintsOf({ bindings: [given] });

  it('are none unless the flow lists some', () => {
    expect(givenFlow().bindings).toEqual([]);
  });

  it('keep what they say, with an empty routing key where none is needed', () => {
    const flow = givenFlow({
      bindings: [
        { exchange: 'shop', type: 'topic', routingKey: 'order.#' },
        { exchange: 'all', type: 'fanout' },
        { exchange: 'match', type: 'headers', arguments: { 'x-match': 'all', n: 1, b: true } },
      ],
    });

    expect(flow.bindings).toEqual([
      { exchange: 'shop', type: 'topic', routingKey: 'order.#' },
      { exchange: 'all', type: 'fanout', routingKey: '' },
      {
        exchange: 'match',
        type: 'headers',
        routingKey: '',
        arguments: { 'x-match': 'all', n: 1, b: true },
      },
    ]);
  });

  it('take an empty routing key where it is written', () => {
    expect(binding({ exchange: 'shop', type: 'direct', routingKey: '' })).toEqual([]);
  });

  it.each([
    [{ exchange: 'shop', type: 'topic' }, '.routingKey: missing; a topic exchange routes by it'],
    [{ exchange: 'shop', type: 'direct' }, '.routingKey: missing; a direct exchange routes by it'],
    [
      { exchange: 'shop', routingKey: 'a' },
      ".type: missing; give the exchange's type, such as 'topic'",
    ],
    [
      { exchange: '', type: 'direct', routingKey: 'a' },
      ".exchange: expected the name of an exchange, got '' (every queue is bound to the default exchange '' anyway)",
    ],
    [{ type: 'fanout' }, '.exchange: expected the name of an exchange, got undefined'],
    [{ exchange: 'e', type: 'x-delayed-message', routingKey: '' }, '.type: expected one of'],
    [{ exchange: 'e', type: 'topic', routingKey: 7 }, '.routingKey: expected a text, got 7'],
    [
      { exchange: 'e', type: 'topic', routingKey: 'é'.repeat(150) },
      '.routingKey: is 300 bytes long; RabbitMQ allows 255, shorten it',
    ],
    [{ exchange: 'é'.repeat(128), type: 'fanout' }, '.exchange: is 256 bytes long'],
    [
      { exchange: 'e', type: 'fanout', arguments: { a: 1 } },
      '.arguments: only a headers exchange matches by arguments, not a fanout one; remove them',
    ],
    [
      { exchange: 'e', type: 'headers', arguments: { a: {} } },
      '.arguments.a: expected a text, number or boolean, got {}',
    ],
    [{ exchange: 'e', type: 'headers', arguments: [1] }, '.arguments: expected an object'],
    [{ exchange: 'e', type: 'fanout', rotingKey: 'a' }, ".rotingKey: unknown key; did you mean 'r"],
    [7, ': expected an object with exchange, type, routingKey, arguments, got 7'],
    [undefined, ': expected an object with exchange, type, routingKey, arguments, got null'],
  ])('refuse %o', (given, complaint) => {
    expect(binding(given)).toEqual([expect.stringContaining(`bindings[0]${complaint}`)]);
  });

  it('are not given to a queue that belongs to someone else', () => {
    const bindings = [{ exchange: 'shop', type: 'fanout' }];

    expect(complaintsOf({ queueMode: 'existing', bindings })).toEqual([
      "bindings: an existing queue belongs to someone else, and so do its bindings; remove them, or use queueMode 'declare'",
    ]);
  });

  it('are a list', () => {
    expect(complaintsOf({ bindings: { exchange: 'shop' } })).toEqual([
      'bindings: expected a list of bindings { exchange, type, routingKey }, got {"exchange":"shop"}',
    ]);
  });
});

describe('queue arguments', () => {
  const REFUSED =
    'unknown key; queue arguments are the same for every flow (durable, never expiring, never exclusive); remove it';

  it.each(['expires', 'autoDelete', 'exclusive', 'x-expires', 'x-message-ttl', 'durable'])(
    'case 64: %s is refused wherever it is put',
    (key) => {
      expect(complaintsOf({ [key]: true })).toEqual([`${key}: ${REFUSED}`]);
      expect(complaintsOf({ schedule: { [key]: true } })).toEqual([`schedule.${key}: ${REFUSED}`]);
      expect(complaintsOf({ parking: { [key]: true } })).toEqual([`parking.${key}: ${REFUSED}`]);
      expect(complaintsOf({ batch: { [key]: true } })).toEqual([`batch.${key}: ${REFUSED}`]);
    },
  );

  it('case 64: a length limit on parking, which would drop the oldest evidence, is refused', () => {
    expect(complaintsOf({ parking: { maxLength: 10, overflow: 'drop-head' } })).toEqual([
      `parking.maxLength: ${REFUSED}`,
      `parking.overflow: ${REFUSED}`,
    ]);
  });
});
