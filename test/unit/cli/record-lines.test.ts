import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isMetricLine,
  pairLines,
  parseRecordLine,
  type RecordLine,
} from '../../../cli/record-lines.ts';
import { messagesOf } from './messages.ts';

const line = (messageId: string, more: Partial<RecordLine> = {}): RecordLine => ({
  messageId,
  verdict: 'done',
  queue: 'orders',
  attempt: 1,
  redelivered: false,
  ...more,
});

describe('a line of the function', () => {
  it('is about a record when it says so', () => {
    const text = JSON.stringify({ level: 'WARN', message: 'settled', ...line('m-1') });
    expect(parseRecordLine(text)).toMatchObject({ messageId: 'm-1', verdict: 'done' });
    const failed = JSON.stringify({ message: 'not settled', ...line('m-1') });
    expect(parseRecordLine(failed)).toMatchObject({ messageId: 'm-1' });
  });

  it.each([
    ['plain text', 'settled'],
    ['broken JSON', '{"message":"settled"'],
    ["the handler's own line", '{"message":"handled","messageId":"m-1","verdict":"done"}'],
    ["the handler's own line with the same word", '{"message":"settled","messageId":"m-1"}'],
    ['a list', '["settled"]'],
  ])('is none about a record when it is %s', (_what, text) => {
    expect(parseRecordLine(text)).toBeUndefined();
  });

  it('is a metric when CloudWatch would take it for one', () => {
    expect(isMetricLine('{"_aws":{"Timestamp":1},"Handled":1}')).toBe(true);
    expect(isMetricLine('{"message":"_aws"}')).toBe(false);
  });
});

describe('pairing lines with the messages of the event', () => {
  it('puts them into the order of the event', () => {
    const messages = messagesOf({ id: 'a' }, { id: 'b' }, { id: 'c' });
    const paired = pairLines(messages, [line('c'), line('a'), line('b')]);
    expect(paired.map((each) => each?.messageId)).toEqual(['a', 'b', 'c']);
  });

  it('gives a message that is there twice its lines one after the other', () => {
    const messages = messagesOf({ id: 'a' }, { id: 'b' }, { id: 'a' });
    const paired = pairLines(messages, [line('a'), line('a', { verdict: 'duplicate' }), line('b')]);
    expect(paired.map((each) => each?.verdict)).toEqual(['done', 'done', 'duplicate']);
  });

  it('tells messages without an id apart by what they carry', () => {
    const messages = messagesOf(
      {},
      { redelivered: true },
      { correlationId: 'c-1' },
      { headers: { 'x-retry-count': 2 } },
    );
    const paired = pairLines(messages, [
      line('x4', { attempt: 3 }),
      line('x3', { correlationId: 'c-1' }),
      line('x2', { redelivered: true }),
      line('x1'),
    ]);
    expect(paired.map((each) => each?.messageId)).toEqual(['x1', 'x2', 'x3', 'x4']);
  });

  it('goes by position where nothing tells them apart', () => {
    const messages = messagesOf({}, { id: 'a' }, {});
    const paired = pairLines(messages, [line('x1'), line('x2'), line('a')]);
    expect(paired.map((each) => each?.messageId)).toEqual(['x1', 'a', 'x2']);
  });

  it('leaves a message without a line when the function died before it said one', () => {
    const messages = messagesOf({ id: 'a' }, { id: 'b' });
    expect(pairLines(messages, [line('b')])).toEqual([undefined, line('b')]);
  });

  it('never gives a message with an id the line of another', () => {
    const messages = messagesOf({ id: 'a' }, {});
    expect(pairLines(messages, [line('x1')])).toEqual([undefined, line('x1')]);
  });

  it('finds every line its own message, in whatever order they settle', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 12 });
    const shuffled = ids.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([sent, settled]) => {
        const paired = pairLines(
          messagesOf(...sent.map((id) => ({ id }))),
          settled.map((id) => line(id)),
        );
        expect(paired.map((each) => each?.messageId)).toEqual(sent);
      }),
    );
  });
});
