import { describe, expect, it } from 'vitest';
import { notificationSchema } from '../../../functions/flows/notifications/notification.ts';
import { orderSchema } from '../../../functions/flows/orders/order.ts';
import { seededRandom } from '../../../infra/local/random.ts';
import { dealFates } from '../../../infra/local/scenarios/fates.ts';
import { planScenario, SCENARIOS } from '../../../infra/local/scenarios/scenarios.ts';
import type { PlannedMessage } from '../../../infra/local/scenarios/types.ts';

const OPTIONS = { messages: 500, seed: 1, speed: 120, poison: true };

function messagesOf(options: Partial<typeof OPTIONS> = {}): Map<string, readonly PlannedMessage[]> {
  const plans = planScenario(SCENARIOS, { ...OPTIONS, ...options });
  return new Map([...plans].map(([flow, { messages }]) => [flow, messages]));
}

const orders = (options: Partial<typeof OPTIONS> = {}) => messagesOf(options).get('orders') ?? [];
const withFate = (messages: readonly PlannedMessage[], fate: string) =>
  messages.filter((message) => message.fate === fate);
const parse = (message: PlannedMessage): unknown => JSON.parse(message.body.toString());

describe('planScenario', () => {
  it.each([0, 1, 2, 7, 50, 500, 5_000])('plans exactly %i messages', (messages) => {
    const counts = [...messagesOf({ messages }).values()].map(({ length }) => length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(messages);
  });

  it('plans the same for the same seed, to the byte', () => {
    expect(messagesOf()).toEqual(messagesOf());
  });

  it('plans something else for another seed', () => {
    expect(orders({ seed: 2 })).not.toEqual(orders());
  });

  it('gives most of the messages to orders, the rest to notifications', () => {
    const counts = [...messagesOf()].map(([flow, { length }]) => [flow, length]);
    expect(counts).toEqual([
      ['orders', 400],
      ['notifications', 100],
    ]);
  });

  it('gives all of them to the only flow asked for', () => {
    const only = SCENARIOS.filter(({ flow }) => flow === 'notifications');
    const plan = planScenario(only, OPTIONS).get('notifications');
    expect(plan?.messages).toHaveLength(500);
  });
});

describe('orders', () => {
  it.each([1, 2, 3, 4, 5])('seed %i has every kind of trouble, and most succeed', (seed) => {
    const messages = orders({ seed });
    const fates = new Set(messages.map(({ fate }) => fate));
    expect([...fates].sort()).toEqual([
      'bug',
      'declined',
      'fine',
      'invalid',
      'long-outage',
      'outage',
      'poison',
      'rate-limit',
      'twice',
      'undecodable',
    ]);
    expect(withFate(messages, 'fine').length).toBeGreaterThan(messages.length / 2);
  });

  it('are what the schema accepts, unless they are meant not to be', () => {
    for (const message of orders()) {
      if (message.fate === 'undecodable') {
        expect(() => parse(message)).toThrow(SyntaxError);
      } else {
        expect(orderSchema.safeParse(parse(message)).success).toBe(message.fate !== 'invalid');
      }
    }
  });

  it('sent twice are two messages with one id and the same body', () => {
    const twice = withFate(orders(), 'twice');
    const ids = new Set(twice.map(({ messageId }) => messageId));
    expect(ids.size).toBe(twice.length / 2);
    for (const id of ids) {
      const [first, second] = twice.filter(({ messageId }) => messageId === id);
      expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
    }
  });

  it('have an id of their own otherwise', () => {
    const others = orders().filter(({ fate }) => fate !== 'twice');
    expect(new Set(others.map(({ messageId }) => messageId)).size).toBe(others.length);
  });

  it('leave out what kills the function when asked to', () => {
    expect(withFate(orders({ poison: false }), 'poison')).toEqual([]);
    expect(orders({ poison: false })).toHaveLength(400);
  });
});

describe('notifications', () => {
  it('are what the schema accepts, unless they are meant not to be', () => {
    for (const message of messagesOf().get('notifications') ?? []) {
      const { success } = notificationSchema.safeParse(parse(message));
      expect(success).toBe(message.fate !== 'invalid');
    }
  });
});

describe('dealFates', () => {
  const deal = {
    shares: { fine: 0, rare: 1, twice: 100 },
    otherwise: 'fine',
    twice: 'twice',
  } as const;
  const costOf = (fates: readonly string[]) =>
    fates.reduce((sum, fate) => sum + (fate === 'twice' ? 2 : 1), 0);

  it('deals a rare fate at least once when there are messages enough', () => {
    const fates = dealFates(seededRandom(1), 40, deal);
    expect(fates.filter((fate) => fate === 'rare')).toHaveLength(1);
  });

  it('counts a fate that is sent twice as two messages', () => {
    for (let count = 0; count < 60; count++) {
      expect(costOf(dealFates(seededRandom(count), count, deal))).toBe(count);
    }
  });
});
