/** Mistakes in code. They come after everything that could have made such an error on the way. */
import type { KeyedRule } from './lookup.ts';
import { all, code, message, named, rule } from './match.ts';

export const PROGRAMMING_RULES: readonly KeyedRule[] = [
  rule('programming.control-error', 'bug', code('LAYOVER_INVALID_CONTROL')),
  // A gateway or a login page answered HTML where JSON was expected; so does a maintenance page.
  rule(
    'json.html-answer',
    'transient',
    all(
      named('SyntaxError', 'FetchError', 'ParseError'),
      message(/Unexpected token '?</),
      message(/JSON/),
    ),
  ),
  // Whose JSON it was can't be told: half an answer of a downstream, or text inside the message.
  rule('json.malformed', 'unknown', all(named('SyntaxError', 'ParseError'), message(/\bJSON\b/))),
  rule(
    'programming.assertion',
    'bug',
    named('AssertionError', 'AssertionError [ERR_ASSERTION]'),
    code('ERR_ASSERTION'),
  ),
  rule('programming.reference-error', 'bug', named('ReferenceError')),
  rule('programming.range-error', 'bug', named('RangeError')),
  rule('programming.syntax-error', 'bug', named('SyntaxError')),
  rule('programming.uri-error', 'bug', named('URIError', 'EvalError')),
  rule(
    'programming.missing-module',
    'bug',
    code(
      'MODULE_NOT_FOUND',
      'ERR_MODULE_NOT_FOUND',
      'ERR_REQUIRE_ESM',
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    ),
  ),
  rule('programming.not-cloneable', 'bug', named('DataCloneError')),
  rule('programming.type-error', 'bug', named('TypeError')),
];
