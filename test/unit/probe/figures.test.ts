import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFigures } from '../../../functions/probe/figures.ts';

describe('reading the management API', () => {
  it('takes totals and counters of each queue', () => {
    const listing = [
      {
        name: 'orders',
        messages: 7,
        messages_dlx: 2,
        consumers: 1,
        message_stats: { publish: 10, ack: 3 },
      },
    ];
    expect(readFigures(listing).get('orders')).toEqual({
      messages: 7,
      deadLettering: 2,
      consumers: 1,
      published: 10,
      acknowledged: 3,
    });
  });

  it('leaves an absent figure out instead of calling it 0', () => {
    const figures = readFigures([{ name: 'orders' }]).get('orders');
    expect(figures).toEqual({ published: 0, acknowledged: 0 });
    expect(figures).not.toHaveProperty('messages');
  });

  it('takes counters for 0 when nobody ever published, as the API then leaves them out', () => {
    const figures = readFigures([{ name: 'q', messages: 1, message_stats: { ack: 1 } }]).get('q');
    expect(figures).toMatchObject({ published: 0, acknowledged: 1 });
  });

  it('leaves a figure out that is no number', () => {
    const figures = readFigures([{ name: 'q', messages: 'many', consumers: Number.NaN }]).get('q');
    expect(figures).not.toHaveProperty('messages');
    expect(figures).not.toHaveProperty('consumers');
  });

  it('makes nothing of an answer that is no list', () => {
    for (const answer of [undefined, null, {}, 'x', { items: [] }]) {
      expect(readFigures(answer).size).toBe(0);
    }
  });

  it('never throws, whatever the broker answers', () => {
    fc.assert(
      fc.property(fc.anything(), fc.array(fc.anything()), (one, many) => {
        readFigures(one);
        readFigures(many);
        readFigures(many.map((message_stats) => ({ name: 'q', message_stats })));
      }),
    );
  });
});
