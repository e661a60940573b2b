/** One line of a table: what is thrown, and what the classifier must make of it. */
import type { FailureClass } from '../../../../functions/policy/types.ts';

export interface Row {
  readonly title: string;
  readonly thrown: unknown;
  readonly class: FailureClass;
  readonly rule: string;
}

export function row(title: string, thrown: unknown, failureClass: FailureClass, rule: string): Row {
  return { title, thrown, class: failureClass, rule };
}

/** A real Error as a library makes one: own name, own fields. */
export function err(name: string, message: string, fields: object = {}): Error {
  const error = new Error(message);
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
  return Object.assign(error, fields);
}

/** An Error of Node's own: name `Error`, the code in the message and in `code`. */
export function sys(code: string, syscall = 'connect', fields: object = {}): Error {
  return err('Error', `${syscall} ${code} 127.0.0.1:5432`, { code, syscall, ...fields });
}

/** What fetch throws: a TypeError whose cause knows. */
export function fetchFailed(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause });
}

/** An aggregate, as Node makes them: mostly without a message. */
export function aggregate(members: readonly unknown[], message = ''): AggregateError {
  return new AggregateError(members, message);
}
