import { describe, expect, it } from 'vitest';
import { review } from '../../../../cli/review/review.ts';
import type { Topic } from '../../../../cli/review/topic.ts';
import type { FlowDefinition } from '../../../../functions/policy/flow-definition.ts';
import { givenFlow } from '../../policy/given-flow.ts';

function topic(id: string, definition: Partial<FlowDefinition> = {}): Topic {
  const found = review(givenFlow(definition)).topics.find((one) => one.id === id);
  if (found === undefined) throw new Error(`There is no topic ${id}.`);
  return found;
}
const answers = (id: string, definition?: Partial<FlowDefinition>) =>
  topic(id, definition).answers.join('\n');
const attention = (id: string, definition?: Partial<FlowDefinition>) =>
  topic(id, definition).attention.join('\n');

describe('a review', () => {
  it('answers every question a reviewer asks of retries and of a dead-letter queue', () => {
    const { flow, owner, topics } = review(givenFlow());
    expect({ flow, owner }).toEqual({ flow: 'orders', owner: 'shop team' });
    expect(topics.map(({ id }) => id)).toEqual([
      'what-is-retried',
      'how-often',
      'how-long',
      'where-the-count-lives',
      'what-survives',
      'who-owns-parking',
      'retention',
      'who-may-replay',
      'order',
      'side-effects',
      'personal-data',
    ]);
    for (const one of topics) {
      expect(one.question).toMatch(/\?$/);
      expect(one.answers.length).toBeGreaterThan(1);
      for (const line of [...one.answers, ...one.attention]) expect(line).toMatch(/^\S.{20,}\S$/);
    }
  });

  it('is the same twice, and can be written as JSON without loss', () => {
    const reviewed = review(givenFlow());
    expect(review(givenFlow())).toEqual(reviewed);
    expect(JSON.parse(JSON.stringify(reviewed))).toEqual(reviewed);
  });
});

describe('what is retried', () => {
  it('names each class with its number of retries, and what is parked at once', () => {
    expect(topic('what-is-retried').facts).toEqual({
      retried: { transient: 4, backpressure: 4, unknown: 2 },
      parked: ['invalid', 'contract', 'bug', 'poison', 'security', 'stale', 'undelivered'],
      discarded: [],
    });
    expect(topic('what-is-retried').attention).toEqual([]);
  });

  it('counts nothing as retried where the schedule allows one attempt', () => {
    const { facts } = topic('what-is-retried', { schedule: { maxAttempts: 1 } });
    expect(facts).toMatchObject({ retried: {} });
    expect(facts.parked).toEqual(expect.arrayContaining(['transient', 'unknown']));
  });

  it('points at what is discarded, and at retries that time does not help', () => {
    const risky = attention('what-is-retried', {
      verdicts: { stale: 'discard', bug: 'retry' },
    });
    expect(risky).toContain('Of a discarded message (stale) nothing remains but a log line.');
    expect(risky).toContain('rarely heals');
  });

  it('tells the flow’s own rules', () => {
    const text = answers('what-is-retried', {
      rules: [{ name: 'sold-out', class: 'stale', when: { code: 'SOLD_OUT' } }],
    });
    expect(text).toContain("The flow's own rules come first: sold-out → stale.");
  });
});

describe('how often', () => {
  it('counts the lives automatic replay adds', () => {
    expect(topic('how-often').facts).toEqual({ maxAttempts: 5, automaticReplays: 0, maxRuns: 5 });
    const replayed = topic('how-often', { replay: { automatic: ['transient'], lifetimeCap: 2 } });
    expect(replayed.facts).toEqual({ maxAttempts: 5, automaticReplays: 2, maxRuns: 15 });
    expect(replayed.answers.join(' ')).toContain('at most 2 times: 15 runs in all');
  });

  it('points at very many attempts only', () => {
    expect(topic('how-often').attention).toEqual([]);
    expect(attention('how-often', { schedule: { maxAttempts: 11 } })).toContain('11 calls');
  });
});

describe('how long', () => {
  it('adds up the waits and names every cap', () => {
    expect(topic('how-long').facts).toEqual({
      totalWaitMs: 2_170_000,
      totalWaitWithJitterMs: 2_170_000,
      maxElapsedMs: 86_400_000,
      maxRetryAfterMs: 1_800_000,
      handlerTimeoutMs: 30_000,
    });
    expect(answers('how-long')).toContain('Waits of 10s, 1m, 5m, 30m: 36m 10s in all');
  });

  it('tells jitter apart', () => {
    const text = answers('how-long', { schedule: { delays: ['10m'], jitter: true } });
    expect(text).toContain('10m in all, up to 12m with jitter');
  });

  it('does not list a hundred waits', () => {
    expect(answers('how-long', { schedule: { maxAttempts: 100 } })).toContain('30m, 30m, …: ');
  });

  it('says so when nothing waits', () => {
    expect(answers('how-long', { schedule: { maxAttempts: 1 } })).toContain('a failure parks');
  });

  it('points at attempts that never run, and at waits too short for a restart', () => {
    const tooLong = { schedule: { delays: ['30m'], maxAttempts: 4, maxElapsed: '1h' } } as const;
    expect(attention('how-long', tooLong)).toContain('the last attempts never run');
    expect(attention('how-long', { schedule: { delays: ['5s', '30s'] } })).toContain('restart');
  });
});

describe('what survives', () => {
  it('is read from the arguments of the topology', () => {
    expect(
      topic('what-survives', { bindings: [{ exchange: 'shop', type: 'fanout' }] }),
    ).toMatchObject({
      facts: { queues: 8, quorum: 8, forwarding: 7, atLeastOnce: 7, deliveryLimits: [1000, 1000] },
      attention: [],
    });
  });

  it('does not speak for a queue of somebody else', () => {
    const foreign = topic('what-survives', { queueMode: 'existing' });
    expect(foreign.facts).toMatchObject({ queues: 7, quorum: 7 });
    expect(foreign.attention.join()).toContain("`orders` is somebody else's");
  });

  it('points at senders who would not learn of a missing queue', () => {
    expect(attention('what-survives')).toContain('mandatory');
  });
});

describe('where the count lives', () => {
  it('is a header of the message, which a foreign sender may set', () => {
    expect(answers('where-the-count-lives')).toContain('`x-retry-count`');
    expect(topic('where-the-count-lives').attention).toEqual([]);
    expect(attention('where-the-count-lives', { queueMode: 'existing' })).toContain('clamped');
  });
});

describe('parking', () => {
  it('belongs to the owner of the flow, who is paged or not', () => {
    const critical = topic('who-owns-parking', { critical: true });
    expect(critical.answers.join('\n')).toContain('shop team owns `orders.parked`');
    expect(critical.answers.join('\n')).toContain('by a page when many come at once');
    expect(critical.attention).toEqual([]);
    expect(attention('who-owns-parking')).toContain('nobody is woken at night');
  });

  it('is kept for ever, which is for the reviewer to know', () => {
    expect(topic('retention').facts).toMatchObject({ expires: false, leaves: false });
    expect(answers('retention')).toContain('For ever: no TTL');
    expect(attention('retention')).toContain('personal data');
  });
});

describe('who may replay', () => {
  it('is nobody but people, unless the flow allows classes', () => {
    expect(answers('who-may-replay')).toContain('By itself: nothing.');
    expect(topic('who-may-replay').facts).toMatchObject({ automatic: [] });
  });

  it('lists the guards of automatic replay with their figures', () => {
    const text = answers('who-may-replay', {
      replay: {
        automatic: ['transient', 'backpressure'],
        quietAlarms: ['payments-down'],
        stillWanted: () => true,
      },
    });
    expect(text).toContain(
      'By itself: transient and backpressure, between 15m and 3d old, at most 3 times each, 100 a run, 500 an hour, 10 a second, never while `orders` holds more than 1000',
    );
    expect(text).toContain("besides Layover's own: payments-down.");
    expect(text).toContain('still wanted');
  });

  it('never is the function, whose broker user can not read parking', () => {
    expect(topic('who-may-replay').facts.functionReads).toBe('^(orders|orders\\.isolated)$');
  });

  it('points at ages that do not fit each other, and at replay without memory', () => {
    const late = attention('who-may-replay', {
      parking: { maxAge: '4d' },
      replay: { automatic: ['transient'], maxAge: '1d' },
      idempotency: false,
    });
    expect(late).toContain(
      'too old for automatic replay (1d) before its age raises the alarm (4d)',
    );
    expect(late).toContain('without idempotency');
  });

  it('says for how long what was done is remembered', () => {
    expect(topic('who-may-replay').facts.rememberedMs).toBe(5 * 86_400_000);
    expect(topic('who-may-replay', { idempotency: false }).facts.rememberedMs).toBe(0);
  });
});

describe('order', () => {
  it('is not kept by default', () => {
    expect(topic('order').facts).toEqual({
      keptWithoutFailures: false,
      handledTogether: 10,
      retries: true,
    });
    expect(attention('order')).toContain('Order is not kept.');
  });

  it('is kept in the good case by one at a time without retries', () => {
    const strict = { parallelism: 1, schedule: { maxAttempts: 1 } } as const;
    expect(topic('order', strict).facts).toMatchObject({ keptWithoutFailures: true });
    expect(attention('order', strict)).toContain('only while nothing is parked');
  });

  it('knows that a batch of one is one at a time', () => {
    expect(topic('order', { batch: { size: 1 } }).facts).toMatchObject({ handledTogether: 1 });
  });
});

describe('side effects', () => {
  it('are single by messageId, or by the flow’s key, but for one gap', () => {
    expect(topic('side-effects').facts).toMatchObject({ idempotency: true, key: 'messageId' });
    expect(attention('side-effects')).toContain('A message without `messageId`');
    const keyed = topic('side-effects', { idempotency: { key: ({ headers }) => `${headers.id}` } });
    expect(keyed.facts).toMatchObject({ key: 'function' });
    expect(keyed.attention).toEqual([]);
    expect(keyed.answers.join()).toContain('One gap no store can close');
  });

  it('are the handler’s own business without idempotency', () => {
    const off = topic('side-effects', { idempotency: false });
    expect(off.facts).toMatchObject({ idempotency: false, key: 'none' });
    expect(off.attention).toEqual(['The handler itself must be safe to repeat.']);
  });
});

describe('personal data', () => {
  it('names where bodies rest and what is scrubbed', () => {
    const text = answers('personal-data', { sensitive: ['iban', 'cardNumber'] });
    expect(text).toContain('`orders.parked`');
    expect(text).toContain('what is called iban and cardNumber, in any spelling');
    expect(attention('personal-data', { sensitive: ['iban'] })).toBe('');
  });

  it('points at a flow that names nothing sensitive, at labels, and at a key of its own', () => {
    const risky = attention('personal-data', {
      labels: () => ({ tenant: 'a' }),
      idempotency: { key: () => 'k' },
    });
    expect(risky).toContain('No `sensitive` names');
    expect(risky).toContain('Labels are searchable and not scrubbed');
    expect(risky).toContain('The key function must return no personal data');
  });
});
