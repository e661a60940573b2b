/**
 * Payload validation. These go first: no library keeps a list of complaints about fields on an error
 * that has another reason, whatever it was wrapped into.
 */
import type { KeyedRule } from './lookup.ts';
import { code, named, needing, rule } from './match.ts';

export const VALIDATION_RULES: readonly KeyedRule[] = [
  // zod, valibot, arktype, any Standard Schema, Ajv, Joi, yup, class-validator, Mongoose, Fastify;
  // found by shape, so minified names and second copies of a library don't matter.
  rule(
    'validation.issues',
    'invalid',
    needing(['field:issues'], (error) => error.fields.issues !== undefined),
  ),
  rule(
    'validation.error-name',
    'invalid',
    named(
      'ZodError',
      '$ZodError',
      'ZodRealError',
      'ValiError',
      'ValidationError',
      'SchemaError',
      'SchemaValidationError',
      'StructError',
      'AjvError',
      'TransformDecodeCheckError',
      'TraversalError',
      'RuntypeError',
      'YupError',
      'JoiError',
      'CastError',
      'StrictModeError',
      'ObjectExpectedError',
    ),
    code('FST_ERR_VALIDATION', 'ERR_VALIDATION'),
  ),
];
