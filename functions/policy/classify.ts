/** What kind of failure a thrown thing is. */
import { failureMessage, identityOf } from './failure-message.ts';
import { normalise } from './normalise.ts';
import { RecentAnswers } from './recent.ts';
import { defaultRulesFor } from './rules/index.ts';
import { scrub } from './scrub.ts';
import { signatureOf } from './signature.ts';
import type { ErrorFacts, Failure, FailureClass, NormalisedError, Rule } from './types.ts';

/** Names and codes go into headers: short, and clean like messages. */
const MAX_NAME_BYTES = 128;
const MAX_NOTE_BYTES = 512;
/** Nothing in it to scrub: a word, or a code too short to be a key. */
const PLAIN_NAME = /^(?:[A-Za-z_]{1,64}|\w{1,12})$/;

export interface ClassifyOptions {
  /** The flow's own rules; they go before the default ones. */
  readonly rules: readonly Rule[];
  /** Names whose values are scrubbed from the stored message. */
  readonly sensitive: readonly string[];
  /** What dates in Retry-After are compared with. */
  readonly now: Date;
}

interface Match {
  readonly class: FailureClass;
  readonly rule: string;
  readonly link: ErrorFacts | undefined;
}

/**
 * Classifies whatever was thrown. Pure and total: it never throws and never writes to what it was
 * given. Precedence, the first that holds:
 *
 * 1. a control error (RetryLater, Park, Discard) anywhere in the chain, the outermost one;
 * 2. the flow's own rules, in their order;
 * 3. the default rules, in the order of `rules/index.ts`;
 * 4. `unknown`.
 *
 * Each rule is tried on every link of the chain, outermost first, before the next rule is: the
 * order of rules decides, not the depth. A rule of the flow that throws for a link doesn't hold for it,
 * and is noted.
 */
export function classify(thrown: unknown, options: ClassifyOptions): Failure {
  const error = normalise(thrown, options.now);
  const notes: string[] = [];
  const note = (text: string) => notes.push(scrub(text, options.sensitive, MAX_NOTE_BYTES));
  const own = controlMatch(error) ?? firstMatch(error, options.rules, note);
  const told =
    own === undefined
      ? recent.answer(error, options.sensitive, () => tell(error, defaultMatch(error), options))
      : tell(error, own, options);

  const explicit = explicitOf(own?.link);
  return {
    ...told,
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
    ...(explicit !== undefined && { explicit }),
    ...(notes.length > 0 && { notes }),
  };
}

type Told = Pick<Failure, 'class' | 'rule' | 'signature' | 'name' | 'code' | 'message'>;

const recent = new RecentAnswers<Told>();

function tell(
  error: NormalisedError,
  match: Match,
  { sensitive }: Pick<ClassifyOptions, 'sensitive'>,
): Told {
  const { name, code } = identityOf(error, match.link);
  const clean = (text: string) =>
    PLAIN_NAME.test(text) ? text : scrub(text, sensitive, MAX_NAME_BYTES);
  return {
    class: match.class,
    rule: match.rule,
    signature: signatureOf(match.class, name, error.chain),
    name: clean(name) || 'Error',
    ...(code !== undefined && { code: clean(code) }),
    message: scrub(failureMessage(error), sensitive) || clean(name) || 'Error',
  };
}

function defaultMatch(error: NormalisedError): Match {
  const match = firstMatch(error, defaultRulesFor(error), () => undefined);
  return match ?? { class: 'unknown', rule: 'unknown', link: undefined };
}

function controlMatch({ chain }: NormalisedError): Match | undefined {
  const link = chain.find(({ control }) => control !== undefined);
  switch (link?.control?.kind) {
    case 'retry':
      return { class: 'transient', rule: 'handler.retry-later', link };
    case 'park':
      return { class: link.control.class ?? 'invalid', rule: 'handler.park', link };
    case 'discard':
      return { class: 'stale', rule: 'handler.discard', link };
    case undefined:
      return undefined;
  }
}

function explicitOf(link: ErrorFacts | undefined): Failure['explicit'] {
  const control = link?.control;
  return control?.kind === 'park' ? { kind: 'park' } : control;
}

function firstMatch(
  error: NormalisedError,
  rules: readonly Rule[],
  note: (text: string) => void,
): Match | undefined {
  for (const rule of rules) {
    let problem: { readonly thrown: unknown } | undefined;
    for (const link of error.chain) {
      try {
        if (holds(rule, link, error)) return { class: rule.class, rule: rule.name, link };
      } catch (thrown) {
        problem ??= { thrown };
      }
    }
    if (problem !== undefined) note(noteOf(rule, problem.thrown));
  }
  return undefined;
}

/** A promise, of an async rule, would hold for everything, so it is refused. */
function holds(rule: Rule, facts: ErrorFacts, error: NormalisedError): boolean {
  const answer: unknown = rule.when(facts, error);
  if (answer instanceof Promise) {
    // Nobody else will: unheard, its rejection would end the process.
    answer.catch(() => undefined);
    throw new TypeError('"when" must return true or false, got a promise; rules can\'t be async');
  }
  return Boolean(answer);
}

function noteOf(rule: Rule, thrown: unknown): string {
  const [facts] = normalise(thrown, new Date(Number.NaN)).chain;
  return `rule ${rule.name} was skipped: ${facts?.name}: ${facts?.message}`;
}
