import { describe, expect, it } from 'vitest';
import type { RecordLine } from '../../../cli/record-lines.ts';
import { whyOf } from '../../../cli/record-why.ts';
import type { Message } from '../../../functions/message/types.ts';
import { messagesOf, type RecordInput } from './messages.ts';

const ERROR = { errorName: 'PaymentError', errorMessage: 'answered 503' };

function why(line: Partial<RecordLine>, record: RecordInput = {}): string {
  const [message] = messagesOf(record) as [Message];
  return whyOf({ messageId: 'm-1', verdict: 'done', ...line }, message);
}

describe('why a record ended as it did', () => {
  it('says nothing about what went well', () => {
    expect(why({ verdict: 'done' })).toBe('');
  });

  it('says what failed and when a retry is due', () => {
    const nextAt = '2026-01-01T00:00:10.000Z';
    expect(why({ verdict: 'retry', nextAt, ...ERROR })).toBe(
      'PaymentError: answered 503; again at 2026-01-01T00:00:10.000Z',
    );
  });

  it.each([
    ['policy', 'PaymentError: answered 503'],
    ['attempts-exhausted', 'no attempts left: PaymentError: answered 503'],
    ['class-retries-exhausted', 'no retries left for this class: PaymentError: answered 503'],
    ['explicit', 'the handler said so: PaymentError: answered 503'],
    ['deadline', "the sender's expiration is over: PaymentError: answered 503"],
    ['elapsed', 'it would take longer than maxElapsed: PaymentError: answered 503'],
  ])('says why it was parked: %s', (reason, words) => {
    expect(why({ verdict: 'park', why: reason, ...ERROR })).toBe(words);
  });

  it.each([
    ['time', 'no time was left to start it'],
    ['lap', 'it is not due yet'],
    ['claim', 'another run has a claim on it'],
    ['table', 'the table of claims gave no answer'],
    ['something new', 'no attempt was made'],
  ])('says why it was deferred: %s', (reason, words) => {
    expect(why({ verdict: 'deferred', why: reason })).toBe(words);
  });

  it.each<[string, RecordInput, string]>([
    ['its delivery count', { headers: { 'x-delivery-count': 3 } }, 'x-delivery-count is 3'],
    ['its acquired count', { headers: { 'x-acquired-count': 2 } }, 'x-acquired-count is 2'],
    ['redelivery alone', { redelivered: true }, 'redelivered, with no count'],
    ['nothing of its own', {}, 'another run has left a claim on it'],
    [
      'nothing of its own, since a count of 0 says it is the first delivery',
      { redelivered: true, headers: { 'x-delivery-count': 0 } },
      'another run has left a claim on it',
    ],
  ])('says what makes a suspect: %s', (_what, record, words) => {
    expect(why({ verdict: 'isolated' }, record)).toContain(words);
    expect(why({ verdict: 'isolated' }, record)).toMatch(/, so it runs alone$/);
  });

  it('says that a twin was done before', () => {
    expect(why({ verdict: 'duplicate' })).toContain('done before');
  });

  it('gives the error of what is discarded, acknowledged or could not be settled', () => {
    for (const verdict of ['discard', 'acknowledge', 'unsettled']) {
      expect(why({ verdict, ...ERROR })).toBe('PaymentError: answered 503');
    }
  });

  it('says so when nothing was said about it', () => {
    expect(whyOf(undefined, messagesOf({})[0] as Message)).toContain('ended before');
  });
});
