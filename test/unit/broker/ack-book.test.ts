import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AckBook } from '../../../functions/broker/ack-book.ts';

/** A channel that knows which of its deliveries are unacknowledged. */
function aChannel(deliveries: number) {
  const open = new Set(Array.from({ length: deliveries }, (_, n) => n + 1));
  const frames: string[] = [];
  const send = (tag: number, upTo: boolean) => {
    frames.push(upTo ? `≤${tag}` : `${tag}`);
    if (!open.has(tag)) throw new Error(`406 unknown delivery tag ${tag}`);
    for (const held of [...open]) if (held === tag || (upTo && held <= tag)) open.delete(held);
  };
  const book = new AckBook(send);
  for (const tag of open) book.came(tag);
  return { open, frames, book };
}

describe('the book of acknowledgements', () => {
  it('needs one frame for deliveries that are done in order', () => {
    const { book, frames } = aChannel(4);
    for (const tag of [1, 2, 3]) book.done(tag);

    book.flush();

    expect(frames).toEqual(['≤3']);
  });

  it('waits for an earlier one that is under way', () => {
    const { book, frames, open } = aChannel(4);
    book.done(2);
    book.done(3);
    book.flush();
    expect(frames).toEqual([]);

    book.done(1);
    book.flush();

    expect(frames).toEqual(['≤3']);
    expect([...open]).toEqual([4]);
  });

  it('never takes one along that stays', () => {
    const { book, frames, open } = aChannel(5);
    book.hold(3);
    for (const tag of [1, 2, 4, 5]) book.done(tag);

    book.flush();
    expect(frames).toEqual(['≤2', '4']);

    expect(book.finish()).toBe(3);
    expect(frames).toEqual(['≤2', '4', '5']);
    expect([...open]).toEqual([3]);
  });

  it('at the end sends what waited for one that never got done, and names that one', () => {
    const { book, frames, open } = aChannel(3);
    book.done(2);
    book.done(3);

    expect(book.finish()).toBe(1);

    expect(frames).toEqual(['2', '3']);
    expect([...open]).toEqual([1]);
  });

  it('keeps the newest back when nothing stays, so that its return shows the rest was done', () => {
    const { book, frames, open } = aChannel(3);
    for (const tag of [3, 1, 2]) book.done(tag);
    book.flush();

    expect(book.finish()).toBe(3);

    expect(frames).toEqual(['≤2']);
    expect([...open]).toEqual([3]);
  });

  it('has nothing to keep back when nothing came', () => {
    expect(aChannel(0).book.finish()).toBeUndefined();
  });

  it('acknowledges exactly what is done, whatever the order and the flushes', () => {
    const plan = fc.integer({ min: 1, max: 40 }).chain((count) =>
      fc.tuple(
        fc.array(fc.boolean(), { minLength: count, maxLength: count }),
        fc.shuffledSubarray(
          Array.from({ length: count }, (_, n) => n + 1),
          { minLength: count, maxLength: count },
        ),
        fc.array(fc.nat({ max: 3 }), { minLength: count, maxLength: count }),
      ),
    );
    fc.assert(
      fc.property(plan, ([stays, order, flushes]) => {
        const { book, open } = aChannel(stays.length);
        // Whether a delivery stays is known when it arrives, in order, or only later.
        stays.forEach((stay, n) => {
          if (stay) book.hold(n + 1);
        });
        for (const [n, tag] of order.entries()) {
          if (!stays[tag - 1]) book.done(tag);
          if (flushes[n] === 0) book.flush();
        }
        const first = book.finish();
        const staying = stays.flatMap((stay, n) => (stay ? [n + 1] : []));
        expect(first).toBe(staying[0] ?? stays.length);
        expect([...open]).toEqual(staying.length === 0 ? [stays.length] : staying);
      }),
    );
  });
});
