/** What kind of failure a thrown thing is. */
import { failureMessage, identityOf } from './failure-message.ts';
import { normalise } from './normalise.ts';
import { DEFAULT_RULES } from './rules/index.ts';
import { scrub } from './scrub.ts';
import { signatureOf } from './signature.ts';
import type { ErrorFacts, Failure, FailureClass, NormalisedError, Rule } from './types.ts';

/** Names and codes go into headers: short, and clean like messages. */
const MAX_NAME_BYTES = 128;
const MAX_NOTE_BYTES = 512;

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
 * 3. {@link DEFAULT_RULES}, in their order;
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
  const match =
    controlMatch(error) ??
    firstMatch(error, options.rules, note) ??
    firstMatch(error, DEFAULT_RULES, note) ??
    ({ class: 'unknown', rule: 'unknown', link: undefined } as const);

  const { name, code } = identityOf(error, match.link);
  const clean = (text: string) => scrub(text, options.sensitive, MAX_NAME_BYTES);
  const explicit = explicitOf(match.link);
  return {
    class: match.class,
    rule: match.rule,
    signature: signatureOf(match.class, name, error.chain),
    name: clean(name) || 'Error',
    ...(code !== undefined && { code: clean(code) }),
    message: scrub(failureMessage(error), options.sensitive) || clean(name) || 'Error',
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
    ...(explicit !== undefined && { explicit }),
    ...(notes.length > 0 && { notes }),
  };
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
