/** Failures come in waves: in an outage every message of a batch fails alike, and is told once. */
import type { NormalisedError } from './types.ts';

const MAX_ENTRIES = 64;
const MAX_KEY = 8_192;

/**
 * Remembers what a pure function made of an error, for as long as the same error keeps coming.
 * `context` is what else the answer depends on, compared by identity: a flow's own lists.
 */
export class RecentAnswers<Answer> {
  readonly #byContext = new WeakMap<object, Map<string, Answer>>();

  answer(error: NormalisedError, context: object, make: () => Answer): Answer {
    const key = fingerprint(error);
    if (key === undefined) return make();
    let answers = this.#byContext.get(context);
    if (answers === undefined || answers.size >= MAX_ENTRIES) {
      answers = new Map();
      this.#byContext.set(context, answers);
    }
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = make();
    answers.set(key, answer);
    return answer;
  }
}

/**
 * Everything rules, signature and message read of an error, as one text; `undefined` when there is
 * more to it than plain fields, or too much. Texts are quoted, so that no two errors share one.
 */
export function fingerprint(error: NormalisedError): string | undefined {
  // An equal plain error comes as the same object again.
  if (!known.has(error)) known.set(error, fingerprintOf(error));
  return known.get(error);
}

const known = new WeakMap<NormalisedError, string | undefined>();

function fingerprintOf({ chain, retryAfterMs }: NormalisedError): string | undefined {
  let key = `${retryAfterMs}`;
  for (const { name, message, code, errno, status, stack, depth, fields, control } of chain) {
    if (control !== undefined) return undefined;
    key += `\n${JSON.stringify([depth, name, message, code, errno, status, stack])}`;
    for (const field in fields) {
      const value = fields[field];
      if (typeof value === 'object' && value !== null) return undefined;
      key += `,${JSON.stringify(field)}:${typeof value}:${JSON.stringify(String(value))}`;
    }
    if (key.length > MAX_KEY) return undefined;
  }
  return key;
}
