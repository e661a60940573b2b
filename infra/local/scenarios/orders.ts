import { flow } from '../../../functions/flows/orders/flow.ts';
import { type PaymentFate, startPaymentService } from '../downstream/payment-service.ts';
import { between, pick, type Random } from '../random.ts';
import { dealFates, type FateShares } from './fates.ts';
import type { FlowPlan, FlowScenario, PlannedMessage, PlanOptions } from './types.ts';

type Fate = PaymentFate | 'fine' | 'invalid' | 'undecodable' | 'bug' | 'twice' | 'poison';

/** Parts per thousand; the rest is fine. A `twice` is two messages with one id. */
const SHARES: FateShares<Fate> = {
  fine: 0,
  outage: 80,
  'long-outage': 25,
  'rate-limit': 50,
  declined: 10,
  invalid: 25,
  undecodable: 15,
  bug: 20,
  twice: 25,
  poison: 2,
};

/** Length of the acquirer's outage in real time: who meets it early needs the third wait of the schedule. */
const OUTAGE_MS = 8 * 60_000;
const RETRY_AFTER_MS = 2 * 60_000;

/** More than 200 MB of slips: more than the function's memory. */
const POISON_QUANTITY = 33_000_000;

/** Each costs the run two deaths and a lease; three show as much as thirty. */
const MOST_POISON = 3;

const PAYMENT_FATES: readonly Fate[] = ['outage', 'long-outage', 'rate-limit', 'declined'];

/** Orders of a shop on a bad day. */
export const ordersScenario: FlowScenario = { flow: 'orders', share: 0.8, plan };

function plan(options: PlanOptions): FlowPlan {
  const { count, random, seed, speed } = options;
  const poison = options.poison ? Math.min(SHARES.poison, (1000 * MOST_POISON) / count) : 0;
  const shares = { ...SHARES, poison };
  const dealt = dealFates<Fate>(random, count, { shares, otherwise: 'fine', twice: 'twice' });
  const messages: PlannedMessage[] = [];
  const fates = new Map<string, PaymentFate>();

  for (const [index, fate] of dealt.entries()) {
    const number = String(index + 1).padStart(5, '0');
    const workId = `o-${seed}-${number}`;
    const message: PlannedMessage = {
      messageId: `order-${seed}-${number}`,
      workId,
      fate,
      exchange: 'shop',
      routingKey: 'order.placed',
      type: 'OrderPlaced',
      body: bodyOf(random, workId, fate),
    };
    messages.push(message);
    if (isPaymentFate(fate)) fates.set(workId, fate);
    // The shop's outbox sent it again, some messages later.
    if (fate === 'twice') messages.push({ ...message });
  }
  return {
    messages: spreadRepeats(messages),
    urlVariable: 'PAYMENT_URL',
    startDownstream: () =>
      startPaymentService({
        fates,
        outageMs: OUTAGE_MS / speed,
        // All of an order's attempts meet it, on a slow machine too; replay's first finds it over.
        longOutageCalls: flow.schedule.maxAttempts,
        retryAfterSeconds: Math.ceil(RETRY_AFTER_MS / speed / 1000),
      }),
  };
}

function isPaymentFate(fate: Fate): fate is PaymentFate {
  return PAYMENT_FATES.includes(fate);
}

/** Moves the second copy of a message sent twice away from the first, so that batches part them. */
function spreadRepeats(messages: readonly PlannedMessage[]): PlannedMessage[] {
  const seen = new Set<string>();
  const first: PlannedMessage[] = [];
  const repeats: PlannedMessage[] = [];
  for (const message of messages) {
    (seen.has(message.messageId) ? repeats : first).push(message);
    seen.add(message.messageId);
  }
  return [...first, ...repeats];
}

function bodyOf(random: Random, orderId: string, fate: Fate): Buffer {
  const order = {
    orderId,
    customer: { id: `c-${between(random, 1000, 9999)}`, country: pick(random, ['SE', 'DE', 'FI']) },
    lines: Array.from({ length: between(random, 1, 3) }, () => ({
      sku: `sku-${between(random, 100, 999)}`,
      quantity: between(random, 1, 4),
    })),
    amountCents: between(random, 500, 90_000),
    currency: pick(random, ['EUR', 'SEK', 'USD']),
  };
  const goldMember = JSON.stringify({ member: { tier: 'gold' } });
  switch (fate) {
    case 'undecodable': {
      const text = JSON.stringify(order);
      // Cut off on the way, as by a sender with a buffer too small.
      return Buffer.from(text.slice(0, between(random, 10, text.length - 2)));
    }
    case 'invalid': {
      const { customer, ...withoutCustomer } = order;
      return json(random() < 0.5 ? { ...order, amountCents: -1 } : withoutCustomer);
    }
    case 'bug':
      return json({ ...order, loyalty: JSON.stringify({ guest: { since: 2024 } }) });
    case 'poison':
      return json({ ...order, lines: [{ sku: 'sku-bulk', quantity: POISON_QUANTITY }] });
    case 'fine':
    case 'twice':
    case 'outage':
    case 'long-outage':
    case 'rate-limit':
    case 'declined':
      return json(random() < 0.2 ? { ...order, loyalty: goldMember } : order);
  }
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
