import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyOf } from '../../../functions/message/copy.ts';
import { OWNER_LIMIT_BYTES, readSuspect } from '../../../functions/message/suspect-mark.ts';
import type { EndedRun, HeaderValue } from '../../../functions/message/types.ts';
import { ownBlockBytes } from '../../../functions/message/write-state.ts';
import { longString, messageWith, nextDelivery, stampOf } from './samples.ts';

const OWNER = 'e7f1b0a2-0000-4000-8000-000000000001/e7f1b0a2-0000-4000-8000-000000000002';

function deliveredWith(endedRun: EndedRun | undefined, suspect = true) {
  const stamp = stampOf({ suspect, ...(endedRun ? { endedRun } : {}) });
  return nextDelivery(copyOf(messageWith(null), stamp, 'orders.isolated.wait')).state;
}

describe('word of an ended run', () => {
  it.each([true, false])('travels with the mark, event and wire included (done: %s)', (done) => {
    expect(deliveredWith({ owner: OWNER, done })).toMatchObject({
      suspect: true,
      endedRun: { owner: OWNER, done },
    });
  });

  it('is gone from the next copy unless that says it again', () => {
    const first = nextDelivery(
      copyOf(
        messageWith(null),
        stampOf({ suspect: true, endedRun: { owner: OWNER, done: true } }),
        'q',
      ),
    );
    const second = nextDelivery(copyOf(first, stampOf({ suspect: true }), 'q'));
    expect(second.state.suspect).toBe(true);
    expect(second.state).not.toHaveProperty('endedRun');
  });

  it('is not written without the mark', () => {
    const state = deliveredWith({ owner: OWNER, done: true }, false);
    expect(state.suspect).toBe(false);
    expect(state).not.toHaveProperty('endedRun');
  });

  it.each(['', 'ü'.repeat(OWNER_LIMIT_BYTES / 2 + 1)])(
    'leaves the mark bare for an owner no claim has (%#)',
    (owner) => {
      const state = deliveredWith({ owner, done: true });
      expect(state.suspect).toBe(true);
      expect(state).not.toHaveProperty('endedRun');
    },
  );

  it('takes an owner of exactly the limit', () => {
    const owner = 'o'.repeat(OWNER_LIMIT_BYTES);
    expect(deliveredWith({ owner, done: false }).endedRun).toEqual({ owner, done: false });
  });

  it('takes no more than its limit of our block', () => {
    const bare = copyOf(messageWith(null), stampOf({ suspect: true }), 'q');
    const owner = 'o'.repeat(OWNER_LIMIT_BYTES);
    const full = copyOf(
      messageWith(null),
      stampOf({ suspect: true, endedRun: { owner, done: false } }),
      'q',
    );
    const grown = ownBlockBytes(full.headers) - ownBlockBytes(bare.headers);
    expect(grown).toBeLessThanOrEqual(OWNER_LIMIT_BYTES + 'ended:'.length + 4);
  });

  it.each<HeaderValue>([
    'true',
    'done',
    'done:',
    ':x',
    'Done:x',
    'gone:x',
    `ended:${'x'.repeat(OWNER_LIMIT_BYTES + 1)}`,
    1,
    null,
    ['done:x'],
  ])('is not read from %j', (value) => {
    expect(readSuspect(value)).toEqual({ suspect: false });
  });

  it('keeps an owner with colons in it whole', () => {
    expect(readSuspect('ended:a:b')).toEqual({
      suspect: true,
      endedRun: { owner: 'a:b', done: false },
    });
  });

  it('counts only on one of our own copies', () => {
    const forged = messageWith({ 'x-failure-suspect': longString(`done:${OWNER}`) });
    expect(forged.state.suspect).toBe(false);
    expect(forged.state).not.toHaveProperty('endedRun');
    expect(forged.headers).toEqual({});
  });

  it('reads whatever a stranger writes without throwing', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const { suspect, endedRun } = readSuspect(value as HeaderValue);
        return suspect || endedRun === undefined;
      }),
    );
  });
});
