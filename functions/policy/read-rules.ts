import { FieldReader, isPlainObject, readChoice } from './field-reader.ts';
import { RESERVED_CLASSES } from './flow-defaults.ts';
import type { ErrorMatcher, TextMatch } from './flow-definition.ts';
import { FLOW_KEYS } from './flow-keys.ts';
import { type ErrorFacts, FAILURE_CLASSES, type FailureClass, type Rule } from './types.ts';

const RULE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_RULE_NAME = 64;

/** Reads a flow's own rules and turns matchers into functions. */
export function readRules(flow: FieldReader): readonly Rule[] {
  const names = new Set<string>();
  return flow.list('rules', 'rules { name, class, when }').map((item, index) => {
    const fields = new FieldReader(flow.problems, `rules[${index}]`, item ?? null, FLOW_KEYS.rule);
    const rule = {
      name: readName(fields, names),
      class: readClass(fields),
      when: readWhen(fields),
    };
    names.add(rule.name);
    return rule;
  });
}

function readName(fields: FieldReader, taken: ReadonlySet<string>): string {
  const name = fields.raw('name');
  const field = fields.at('name');
  if (typeof name !== 'string' || !RULE_NAME.test(name) || name.length > MAX_RULE_NAME) {
    const text = `expected small letters, digits and dashes, at most ${MAX_RULE_NAME}, such as 'card-declined', got {got}`;
    fields.problems.add(field, name, text);
    return '';
  }
  if (taken.has(name)) {
    fields.problems.add(field, name, 'another rule of this flow is named {got}; give each its own');
  }
  return name;
}

function readClass(fields: FieldReader): FailureClass {
  const value = fields.raw('class');
  const field = fields.at('class');
  const found = readChoice(fields.problems, field, value, FAILURE_CLASSES);
  if (found !== undefined && RESERVED_CLASSES.includes(found)) {
    const text = `{got} is given only by Layover, on evidence an error doesn't carry; use 'invalid' or 'bug' to park at once`;
    fields.problems.add(field, value, text);
  }
  return found ?? 'unknown';
}

function readWhen(fields: FieldReader): Rule['when'] {
  const when = fields.raw('when');
  if (typeof when === 'function') return when as Rule['when'];
  if (!isPlainObject(when) || when instanceof RegExp) {
    const text =
      "expected a function (error, whole) => boolean, or what to match, such as { code: 'E_LIMIT' }, got {got}";
    fields.problems.add(fields.at('when'), when, text);
    return () => false;
  }
  return readMatcher(fields.section('when', FLOW_KEYS.matcher), when);
}

type LinkTest = (error: ErrorFacts) => boolean;

function readMatcher(fields: FieldReader, written: object): Rule['when'] {
  if (Object.keys(written).length === 0) {
    const text = `matches nothing; name at least one of ${FLOW_KEYS.matcher.join(', ')}`;
    fields.problems.add(fields.path, written, text);
  }
  const name = readText(fields, 'name', (text, wanted) => text === wanted);
  const code = readText(fields, 'code', (text, wanted) => text === wanted);
  const message = readText(fields, 'message', (text, wanted) => text.includes(wanted));
  const status = readStatus(fields);
  const tests: LinkTest[] = [];
  if (name) tests.push((error) => name(error.name));
  if (code) tests.push((error) => error.code !== undefined && code(error.code));
  if (message) tests.push((error) => message(error.message));
  if (status) tests.push((error) => error.status !== undefined && status.includes(error.status));
  return (error) => tests.length > 0 && tests.every((test) => test(error));
}

function readText(
  fields: FieldReader,
  key: keyof ErrorMatcher,
  fits: (text: string, wanted: string) => boolean,
): ((text: string) => boolean) | undefined {
  const value = fields.raw(key) as TextMatch | undefined;
  if (value === undefined) return undefined;
  const choices: readonly unknown[] = Array.isArray(value) ? value : [value];
  const tests = choices.flatMap((choice) => {
    if (typeof choice === 'string' && choice !== '') return (text: string) => fits(text, choice);
    if (choice instanceof RegExp) return testOf(choice);
    return [];
  });
  if (tests.length < choices.length || choices.length === 0) {
    const text =
      'expected a text that is not empty, a regular expression or a list of them, got {got}';
    fields.problems.add(fields.at(key), value, text);
  }
  return (text) => tests.some((test) => test(text));
}

/** A regular expression with `g` or `y` remembers where it stopped: every second error would miss. */
function testOf(pattern: RegExp): (text: string) => boolean {
  const stateless = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''));
  return (text) => stateless.test(text);
}

function readStatus(fields: FieldReader): readonly number[] | undefined {
  const value = fields.raw('status');
  if (value === undefined) return undefined;
  const choices: readonly unknown[] = Array.isArray(value) ? value : [value];
  const statuses = choices.filter(
    (choice): choice is number =>
      Number.isInteger(choice) && Number(choice) >= 100 && Number(choice) <= 599,
  );
  if (statuses.length < choices.length || choices.length === 0) {
    const text = 'expected an HTTP status from 100 to 599, or a list of them, got {got}';
    fields.problems.add(fields.at('status'), value, text);
  }
  return statuses;
}
