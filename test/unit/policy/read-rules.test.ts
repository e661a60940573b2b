import { describe, expect, it } from 'vitest';
import type { ErrorMatcher } from '../../../functions/policy/flow-definition.ts';
import type { ErrorFacts, NormalisedError, Rule } from '../../../functions/policy/types.ts';
import { complaintsOf, givenFlow } from './given-flow.ts';

const LINK: ErrorFacts = {
  name: 'StripeCardError',
  message: 'Your card was declined.',
  code: 'card_declined',
  status: 402,
  fields: {},
  isError: true,
  depth: 0,
};

function fits(when: ErrorMatcher | Rule['when'], facts: Partial<ErrorFacts> = {}): boolean {
  const [rule] = givenFlow({ rules: [{ name: 'own', class: 'invalid', when }] }).rules;
  const link = { ...LINK, ...facts };
  const whole: NormalisedError = { chain: [link] };
  return rule?.when(link, whole) ?? false;
}

const bare = (): ErrorFacts => ({
  name: 'Error',
  message: '',
  fields: {},
  isError: true,
  depth: 0,
});

describe('rules of a flow', () => {
  it('are none unless the flow lists some', () => {
    expect(givenFlow().rules).toEqual([]);
  });

  it('keep their order, names and classes', () => {
    const flow = givenFlow({
      rules: [
        { name: 'gone', class: 'stale', when: { status: 410 } },
        { name: 'card-declined', class: 'invalid', when: () => true },
      ],
    });

    expect(flow.rules.map(({ name, class: given }) => [name, given])).toEqual([
      ['gone', 'stale'],
      ['card-declined', 'invalid'],
    ]);
  });

  it('may be a function of the link and of the whole chain', () => {
    const seen: unknown[] = [];
    const when: Rule['when'] = (error, whole) => {
      seen.push(error.code, whole.chain.length);
      return true;
    };

    expect(fits(when)).toBe(true);
    expect(seen).toEqual(['card_declined', 1]);
  });

  it.each<[ErrorMatcher, boolean]>([
    [{ name: 'StripeCardError' }, true],
    [{ name: 'stripecarderror' }, false],
    [{ name: 'Stripe' }, false],
    [{ name: /^Stripe/ }, true],
    [{ code: 'card_declined' }, true],
    [{ code: ['expired', 'card_declined'] }, true],
    [{ code: ['expired', /^card_/] }, true],
    [{ code: 'card' }, false],
    [{ status: 402 }, true],
    [{ status: [400, 402] }, true],
    [{ status: 400 }, false],
    [{ message: 'declined' }, true],
    [{ message: 'Declined' }, false],
    [{ message: /DECLINED/i }, true],
    [{ code: 'card_declined', status: 402, message: /card/ }, true],
    [{ code: 'card_declined', status: 400 }, false],
  ])('with the matcher %o holds: %s', (when, expected) => {
    expect(fits(when)).toBe(expected);
  });

  it.each<[ErrorMatcher]>([[{ code: /.*/ }], [{ status: [100, 599] }], [{ name: /^x/ }]])(
    'with the matcher %o does not hold for an error that has nothing of it',
    (when) => {
      const [rule] = givenFlow({ rules: [{ name: 'own', class: 'invalid', when }] }).rules;

      expect(rule?.when(bare(), { chain: [bare()] })).toBe(false);
    },
  );

  it.each([[/declined/g], [/declined/gy], [/Your/y]])(
    'with %o holds for the second error as for the first',
    (message) => {
      const [rule] = givenFlow({
        rules: [{ name: 'own', class: 'invalid', when: { message } }],
      }).rules;

      const answers = [1, 2, 3].map(() => rule?.when(LINK, { chain: [LINK] }));

      expect(answers).toEqual([true, true, true]);
    },
  );

  it.each([
    [{ class: 'bug', when: { code: 'A' } }, '.name: expected small letters, digits and dashes'],
    [{ name: 'Own', class: 'bug', when: { code: 'A' } }, '.name: expected small letters, digits'],
    [{ name: 'a b', class: 'bug', when: { code: 'A' } }, '.name: expected small letters, digits'],
    [
      { name: 'x'.repeat(65), class: 'bug', when: { code: 'A' } },
      '.name: expected small letters, digits and dashes, at most 64',
    ],
    [{ name: 'own', when: { code: 'A' } }, '.class: expected one of'],
    [
      { name: 'own', class: 'transeint', when: { code: 'A' } },
      "got 'transeint'; did you mean 'transient'?",
    ],
    [
      { name: 'own', class: 'poison', when: { code: 'A' } },
      ".class: 'poison' is given only by Layover, on evidence an error doesn't carry; use 'invalid' or 'bug' to park at once",
    ],
    [
      { name: 'own', class: 'undelivered', when: { code: 'A' } },
      ".class: 'undelivered' is given only",
    ],
    [{ name: 'own', class: 'bug' }, '.when: expected a function (error, whole) => boolean'],
    [{ name: 'own', class: 'bug', when: 'A' }, '.when: expected a function'],
    [{ name: 'own', class: 'bug', when: /A/ }, '.when: expected a function'],
    [{ name: 'own', class: 'bug', when: {} }, '.when: matches nothing; name at least one of name'],
    [
      { name: 'own', class: 'bug', when: { cod: 'A' } },
      ".when.cod: unknown key; did you mean 'code'?",
    ],
    [
      { name: 'own', class: 'bug', when: { code: 5 } },
      '.when.code: expected a text that is not empty',
    ],
    [{ name: 'own', class: 'bug', when: { code: '' } }, '.when.code: expected a text'],
    [{ name: 'own', class: 'bug', when: { code: [] } }, '.when.code: expected a text'],
    [{ name: 'own', class: 'bug', when: { message: ['a', 5] } }, '.when.message: expected a text'],
    [
      { name: 'own', class: 'bug', when: { status: '404' } },
      '.when.status: expected an HTTP status',
    ],
    [{ name: 'own', class: 'bug', when: { status: [404, 1] } }, '.when.status: expected an HTTP'],
    [{ name: 'own', class: 'bug', when: { status: [] } }, '.when.status: expected an HTTP status'],
    [{ name: 'own', class: 'bug', when: { code: 'A' }, verdict: 'park' }, '.verdict: unknown key'],
    ['own', ": expected an object with name, class, when, got 'own'"],
  ])('refuse %o', (rule, complaint) => {
    const complaints = complaintsOf({ rules: [rule] });

    expect(complaints[0]).toContain('rules[0]');
    expect(complaints.join('\n')).toContain(complaint);
  });

  it('have names of their own', () => {
    const rule = { name: 'own', class: 'bug', when: { code: 'A' } };

    expect(complaintsOf({ rules: [rule, rule] })).toEqual([
      "rules[1].name: another rule of this flow is named 'own'; give each its own",
    ]);
  });

  it('are a list', () => {
    expect(complaintsOf({ rules: {} })).toEqual([
      'rules: expected a list of rules { name, class, when }, got {}',
    ]);
  });
});
