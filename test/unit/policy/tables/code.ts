import { AssertionError } from 'node:assert';
import { err, type Row, row } from './row.ts';

const unclosedGroup = ['(', 'a'].join('');

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('expected a throw');
}

export const PROGRAMMING: readonly Row[] = [
  row(
    'case 60: a call of what is no function',
    caught(() => (undefined as unknown as () => void)()),
    'bug',
    'programming.type-error',
  ),
  row(
    'a property of undefined',
    caught(() => (undefined as unknown as { a: string }).a),
    'bug',
    'programming.type-error',
  ),
  row(
    'an unknown variable',
    caught(() => new Function('return nowhere')()),
    'bug',
    'programming.reference-error',
  ),
  row(
    'an invalid date',
    caught(() => new Date(Number.NaN).toISOString()),
    'bug',
    'programming.range-error',
  ),
  row(
    'an endless recursion',
    new RangeError('Maximum call stack size exceeded'),
    'bug',
    'programming.range-error',
  ),
  row(
    'a broken regular expression',
    caught(() => new RegExp(unclosedGroup)),
    'bug',
    'programming.syntax-error',
  ),
  row(
    'a broken URI',
    caught(() => decodeURIComponent('%')),
    'bug',
    'programming.uri-error',
  ),
  row(
    'an assertion',
    new AssertionError({ actual: 1, expected: 2, operator: 'strictEqual' }),
    'bug',
    'programming.assertion',
  ),
  row(
    'an assertion of chai',
    err('AssertionError', 'expected 1 to equal 2'),
    'bug',
    'programming.assertion',
  ),
  row(
    'a module left out of the bundle',
    err('Error', "Cannot find package 'x'", { code: 'ERR_MODULE_NOT_FOUND' }),
    'bug',
    'programming.missing-module',
  ),
  row(
    'a thing that can’t be cloned',
    caught(() => structuredClone(() => undefined)),
    'bug',
    'programming.not-cloneable',
  ),
  row(
    'a control error built wrongly',
    err('InvalidControlError', 'RetryLater: after …', { code: 'LAYOVER_INVALID_CONTROL' }),
    'bug',
    'programming.control-error',
  ),
  row(
    'HTML where JSON was expected',
    caught(() => JSON.parse('<!DOCTYPE html><html></html>')),
    'transient',
    'json.html-answer',
  ),
  row(
    'HTML where JSON was expected, got',
    err('ParseError', `Unexpected token '<', "<html>" is not valid JSON in "https://x.test"`, {
      code: 'ERR_BODY_PARSE_FAILURE',
      response: { statusCode: 200 },
    }),
    'transient',
    'json.html-answer',
  ),
  row(
    'half of a JSON text',
    caught(() => JSON.parse('{"a":')),
    'unknown',
    'json.malformed',
  ),
  row(
    'no JSON text',
    caught(() => JSON.parse('{a}')),
    'unknown',
    'json.malformed',
  ),
  row(
    'a bug below a wrapper',
    new Error('handler failed', { cause: new ReferenceError('x is not defined') }),
    'bug',
    'programming.reference-error',
  ),
];

export const CONTRACT: readonly Row[] = [
  row(
    'a body nobody can decode',
    err('UndecodableBody', 'no JSON', {
      code: 'LAYOVER_UNDECODABLE',
      cause: new SyntaxError('Unexpected end of JSON input'),
    }),
    'contract',
    'contract.undecodable',
  ),
  row(
    'an unknown schema version',
    err('SchemaVersion', 'v9', { code: 'LAYOVER_SCHEMA_VERSION' }),
    'contract',
    'contract.schema-version',
  ),
  row(
    'an unknown content encoding',
    err('ContentEncoding', 'br', { code: 'LAYOVER_CONTENT_ENCODING' }),
    'contract',
    'contract.content-encoding',
  ),
  row(
    'an unknown content type',
    err('ContentType', 'x', { code: 'LAYOVER_CONTENT_TYPE' }),
    'contract',
    'contract.content-type',
  ),
  row(
    'an unknown Avro schema',
    err('ConfluentSchemaRegistryError', 'x'),
    'contract',
    'contract.schema-registry',
  ),
];
