import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../cli/exit.ts';
import { planCommand } from '../../../../cli/operate/commands.ts';
import {
  type FilterOptions,
  filterFlags,
  filterOf,
  momentOf,
  quoted,
  withFilter,
} from '../../../../cli/operate/filter-options.ts';
import { paceOf } from '../../../../cli/operate/pace-options.ts';
import { reasonOf } from '../../../../cli/operate/reason.ts';
import { matchesFilter, parseFilter } from '../../../../functions/replay/filter.ts';
import { someFacts } from '../../replay/facts.ts';
import { aPlan } from '../../replay/plans.ts';

const NOW = Date.UTC(2026, 5, 1, 12);

function filterOfArgs(...argv: string[]) {
  const command = withFilter(new Command()).exitOverride();
  command.parse(argv, { from: 'user' });
  return filterOf(command.opts<FilterOptions>(), NOW);
}

describe('a filter on the command line', () => {
  it('is the one the engine reads, and the one it is written as again', () => {
    const filter = filterOfArgs(
      ...['--class', 'transient', '--class', 'stale', '--signature', 'sig', '--rule', 'network'],
      ...['--id', 'm 1', '--label', 'tenant=blue', '--label', 'eq=a=b'],
      ...['--since', '2h', '--until', '2026-06-01T11:30:00Z', '--limit', '100'],
    );

    expect(parseFilter(filter)).toEqual({
      classes: ['transient', 'stale'],
      signatures: ['sig'],
      rules: ['network'],
      messageIds: ['m 1'],
      labels: { tenant: 'blue', eq: 'a=b' },
      parkedAfter: new Date(NOW - 2 * 3_600_000),
      parkedBefore: new Date('2026-06-01T11:30:00Z'),
      limit: 100,
    });
    expect(filterFlags(filter)).toBe(
      " --class transient --class stale --signature sig --rule network --id 'm 1' --label tenant=blue --label eq=a=b --since 2026-06-01T10:00:00.000Z --until 2026-06-01T11:30:00.000Z --limit 100",
    );
  });

  it('means all when nothing is said', () => {
    expect(filterOfArgs()).toEqual({});
    expect(filterFlags({})).toBe('');
  });

  it.each([
    [['--limit', '0'], '--limit is'],
    [['--limit', '1.5'], '--limit is'],
    [['--since', 'yesterday'], '--since is'],
    [['--since', '5'], '--since is'],
    [['--until', '2026-13-45'], '--until is'],
    [['--label', 'tenant'], '--label is'],
    [['--label', '=blue'], '--label is'],
  ])('is refused: %j', (argv, message) => {
    expect(() => filterOfArgs(...argv)).toThrow(UsageError);
    expect(() => filterOfArgs(...argv)).toThrow(message);
  });

  it('chooses by rule, and by none when a message has none', () => {
    expect(matchesFilter(someFacts({ rule: 'network' }), { rules: ['network'] })).toBe(true);
    expect(matchesFilter(someFacts({ rule: 'other' }), { rules: ['network'] })).toBe(false);
    expect(matchesFilter(someFacts({ rule: undefined }), { rules: ['network'] })).toBe(false);
  });

  it('takes a moment as it is written, or as how long ago', () => {
    expect(momentOf('--since', '30m', NOW)).toBe('2026-06-01T11:30:00.000Z');
    expect(momentOf('--since', '2026-06-01', NOW)).toBe('2026-06-01T00:00:00.000Z');
  });
});

describe('a value in a command to follow', () => {
  it.each([
    ['order-1', 'order-1'],
    ['a b', "'a b'"],
    ["o'hara", "'o'\\''hara'"],
    ['$(rm -rf .)', "'$(rm -rf .)'"],
    ['', "''"],
  ])('can be pasted into a shell: %j', (value, written) => {
    expect(quoted(value)).toBe(written);
  });

  it('makes a plan of the same kind again', () => {
    const plan = JSON.parse(JSON.stringify(aPlan({ action: 'discard', filter: { limit: 3 } })));
    expect(planCommand(plan, ' --env prod')).toBe(
      `npm run -s layover -- discard ${plan.flow} --limit 3 --env prod`,
    );
    const replay = { ...plan, action: 'replay', options: { ramp: false, ratePerSecond: 50 } };
    expect(planCommand(replay, '')).toContain(' --limit 3 --rate 50/s --no-ramp');
  });
});

describe('a pace', () => {
  it.each([
    ['50/s', 50],
    ['50', 50],
    ['600/min', 10],
    ['36/h', 0.01],
    ['0.5/s', 0.5],
  ])('of %s is %d messages per second', (rate, ratePerSecond) => {
    expect(paceOf({ rate, ramp: true })).toEqual({ ratePerSecond });
  });

  it('is left to the plan when nothing is said, and has no ramp when that is said', () => {
    expect(paceOf({ ramp: true })).toEqual({});
    expect(paceOf({ ramp: false })).toEqual({ ramp: false });
  });

  it.each(['0/s', '-5/s', 'fast', '5/day', '', '1e3/s'])('of %j is refused', (rate) => {
    expect(() => paceOf({ rate, ramp: true })).toThrow("--rate is '");
  });
});

describe('a reason', () => {
  it.each([undefined, '', '  '])('is asked for when it is %j', (text) => {
    expect(() => reasonOf(text)).toThrow(UsageError);
  });
});
