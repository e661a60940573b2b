/** The list of complaints a validation library leaves on its error, in one shape. */
import { elements, isObject, nonEmptyText, ownKeys, primitiveText, read } from './safe-read.ts';

export interface Issue {
  /** Dotted path of the field, `''` for the whole. */
  readonly path: string;
  readonly message: string;
}

const MAX_ISSUES = 20;

/**
 * Finds validation issues by their shape, since names are minified and classes copied:
 * Standard Schema, zod, valibot and arktype (`issues`), Ajv (`errors` with a keyword), Joi
 * (`details`), yup (`inner`, or `errors` of text), class-validator (`constraints`, also a bare
 * array), Mongoose (`errors` by path), Fastify (`validation`).
 *
 * @returns `undefined` when the thing carries no such list
 */
export function issuesOf(error: unknown): readonly Issue[] | undefined {
  if (!isObject(error)) return undefined;
  const named = /validat|schema|struct/i.test(nonEmptyText(read(error, 'name'), 256) ?? '');
  return (
    list(read(error, 'issues'), isObject) ??
    list(read(error, 'errors'), isAjvError) ??
    list(read(error, 'validation'), isAjvError) ??
    list(error, isClassValidatorError) ??
    list(read(error, 'errors'), isClassValidatorError) ??
    list(read(error, 'validationErrors'), isClassValidatorError) ??
    (read(error, 'isJoi') === true || named
      ? list(read(error, 'details'), hasMessage)
      : undefined) ??
    (named ? list(read(error, 'inner'), hasMessage) : undefined) ??
    (named ? textList(read(error, 'errors')) : undefined) ??
    (named ? byPath(read(error, 'errors')) : undefined)
  );
}

/** One line for people: `items.0.sku: Required; total: expected number`. */
export function issuesText(issues: readonly Issue[]): string {
  return issues
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');
}

function list(value: unknown, fits: (item: unknown) => boolean): readonly Issue[] | undefined {
  const items = elements(value, MAX_ISSUES);
  if (items.length === 0 || !items.every(fits)) return undefined;
  return items.map(issueOf);
}

function textList(value: unknown): readonly Issue[] | undefined {
  const items = elements(value, MAX_ISSUES);
  if (items.length === 0) return undefined;
  const texts = items.filter((item) => typeof item === 'string');
  if (texts.length < items.length) return undefined;
  return texts.map((message) => ({ path: '', message: message.slice(0, 300) }));
}

/** Mongoose: `{ email: { kind: 'required', path: 'email', message: … } }`. */
function byPath(value: unknown): readonly Issue[] | undefined {
  if (!isObject(value)) return undefined;
  const items = ownKeys(value, MAX_ISSUES).map((key) => read(value, key));
  return items.length > 0 && items.every(hasMessage) ? items.map(issueOf) : undefined;
}

function isAjvError(item: unknown): boolean {
  return (
    typeof read(item, 'keyword') === 'string' &&
    [read(item, 'instancePath'), read(item, 'dataPath'), read(item, 'schemaPath')].some(
      (path) => typeof path === 'string',
    )
  );
}

function isClassValidatorError(item: unknown): boolean {
  return (
    typeof read(item, 'property') === 'string' &&
    (isObject(read(item, 'constraints')) || elements(read(item, 'children'), 1).length > 0)
  );
}

function hasMessage(item: unknown): boolean {
  return typeof read(item, 'message') === 'string';
}

function issueOf(item: unknown): Issue {
  const constraints = read(item, 'constraints');
  const message =
    nonEmptyText(read(item, 'message'), 300) ??
    (isObject(constraints)
      ? ownKeys(constraints, 5)
          .map((key) => primitiveText(read(constraints, key), 100) ?? key)
          .join(', ')
      : undefined) ??
    nonEmptyText(read(item, 'code'), 100) ??
    'invalid';
  return { path: pathText(item), message };
}

function pathText(item: unknown): string {
  const path = read(item, 'path') ?? read(item, 'instancePath') ?? read(item, 'dataPath');
  // Standard Schema allows `{ key }` segments beside bare keys.
  const segments = elements(path, 12).map((part) => primitiveText(read(part, 'key') ?? part, 60));
  if (segments.length > 0) return segments.map((part) => part ?? '?').join('.');
  const text = nonEmptyText(path, 200) ?? nonEmptyText(read(item, 'property'), 200) ?? '';
  return text.replace(/^[./]/, '').replaceAll('/', '.');
}
