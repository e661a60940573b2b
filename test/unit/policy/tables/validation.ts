import { z } from 'zod';
import { err, type Row, row, sys } from './row.ts';

const order = z.object({ id: z.string(), items: z.array(z.object({ sku: z.string() })) });
const zodError = () => order.safeParse({ id: 4, items: [{}] }).error;
/** What a second copy of zod, minified, leaves: nothing but the shape. */
class n extends Error {
  override readonly name = 'n';
  readonly issues = [{ code: 'invalid_type', path: ['id'], message: 'Expected string' }];
}

export const VALIDATION: readonly Row[] = [
  row('zod', zodError(), 'invalid', 'validation.issues'),
  row(
    'case 30: zod below two wrappers',
    new Error('wrap', { cause: new Error('w2', { cause: zodError() }) }),
    'invalid',
    'validation.issues',
  ),
  row(
    'case 30: ZodError told as JSON below two wrappers',
    new Error('wrap', {
      cause: new Error('w2', {
        cause: { name: 'ZodError', issues: [{ path: ['id'], message: 'Required' }] },
      }),
    }),
    'invalid',
    'validation.issues',
  ),
  row('case 30: a minified class with issues', new n('[]'), 'invalid', 'validation.issues'),
  row(
    'case 30: an outer ECONNRESET with a ZodError as its cause',
    Object.assign(sys('ECONNRESET'), { cause: zodError() }),
    'invalid',
    'validation.issues',
  ),
  row('ZodError without its issues', err('ZodError', 'x'), 'invalid', 'validation.error-name'),
  row(
    'Standard Schema: a bare result',
    { issues: [{ message: 'Required', path: [{ key: 'id' }] }] },
    'invalid',
    'validation.issues',
  ),
  row(
    'valibot',
    err('ValiError', 'Invalid type', {
      issues: [{ kind: 'schema', type: 'string', message: 'Invalid type' }],
    }),
    'invalid',
    'validation.issues',
  ),
  row(
    'Ajv',
    err('Error', 'validation failed', {
      errors: [
        {
          instancePath: '/id',
          schemaPath: '#/x',
          keyword: 'type',
          message: 'must be string',
          params: {},
        },
      ],
    }),
    'invalid',
    'validation.issues',
  ),
  row(
    'Fastify over Ajv',
    err('Error', 'body/id must be string', {
      code: 'FST_ERR_VALIDATION',
      statusCode: 400,
      validation: [{ instancePath: '/id', keyword: 'type', message: 'must be string' }],
    }),
    'invalid',
    'validation.issues',
  ),
  row(
    'Joi',
    err('ValidationError', '"id" is required', {
      _original: {},
      details: [{ message: '"id" is required', path: ['id'], type: 'any.required' }],
    }),
    'invalid',
    'validation.issues',
  ),
  row(
    'yup',
    err('ValidationError', 'id is required', { errors: ['id is required'], inner: [], path: 'id' }),
    'invalid',
    'validation.issues',
  ),
  row(
    'yup, several',
    err('ValidationError', '2 errors occurred', {
      errors: ['a', 'b'],
      inner: [err('ValidationError', 'a', { path: 'a' })],
    }),
    'invalid',
    'validation.issues',
  ),
  row(
    'class-validator rejects with an array',
    [{ property: 'id', constraints: { isString: 'id must be a string' }, children: [] }],
    'invalid',
    'validation.issues',
  ),
  row(
    'Mongoose',
    err('ValidationError', 'Order validation failed', {
      errors: { id: { kind: 'required', path: 'id', message: 'Path `id` is required.' } },
    }),
    'invalid',
    'validation.issues',
  ),
  row(
    'Mongoose, a value of the wrong type',
    err('CastError', 'Cast to ObjectId failed'),
    'invalid',
    'validation.error-name',
  ),
  row(
    'superstruct',
    err('StructError', 'Expected a string', { path: ['id'], type: 'string' }),
    'invalid',
    'validation.error-name',
  ),
  row(
    'Nest answers a list of messages',
    {
      name: 'BadRequestException',
      message: 'Bad Request Exception',
      response: { message: ['id must be a string'] },
      status: 400,
    },
    'invalid',
    'aws.rejected-request',
  ),
];
