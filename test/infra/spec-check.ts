import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';

/**
 * Holds a template against the CloudFormation resource specification: unknown types and properties,
 * missing required ones, and values of the wrong type. Intrinsic functions fit every type.
 */
const database = loadAwsServiceSpecSync();

type Spec = Readonly<Record<string, { readonly type: Kind; readonly required?: boolean }>>;
type Kind =
  | {
      readonly type:
        | 'string'
        | 'boolean'
        | 'integer'
        | 'number'
        | 'json'
        | 'date-time'
        | 'tag'
        | 'null';
    }
  | { readonly type: 'array'; readonly element: Kind }
  | { readonly type: 'map'; readonly element: Kind }
  | { readonly type: 'union'; readonly types: readonly Kind[] }
  | { readonly type: 'ref'; readonly reference: { readonly $ref: string } };

interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** What is wrong, one line each: `Id.Property: why`. */
export function specProblems(resources: Readonly<Record<string, TemplateResource>>): string[] {
  const problems: string[] = [];
  for (const [id, { Type, Properties = {} }] of Object.entries(resources)) {
    if (Type.startsWith('Custom::') || Type === 'AWS::CDK::Metadata') continue;
    const [resource] = database.lookup('resource', 'cloudFormationType', 'equals', Type);
    if (resource === undefined) {
      problems.push(`${id}: there is no resource type ${Type}`);
      continue;
    }
    checkObject(`${id} (${Type})`, Properties, resource.properties as unknown as Spec, problems);
  }
  return problems;
}

function checkObject(
  path: string,
  value: Readonly<Record<string, unknown>>,
  spec: Spec,
  problems: string[],
): void {
  for (const [key, inner] of Object.entries(value)) {
    const property = spec[key];
    if (property === undefined) problems.push(`${path}.${key}: unknown property`);
    else checkValue(`${path}.${key}`, inner, property.type, problems);
  }
  for (const [key, { required }] of Object.entries(spec)) {
    if (required === true && value[key] === undefined) problems.push(`${path}.${key}: missing`);
  }
}

function checkValue(path: string, value: unknown, kind: Kind, problems: string[]): void {
  if (isIntrinsic(value)) return;
  const wrong = (wanted: string) =>
    problems.push(`${path}: ${JSON.stringify(value)?.slice(0, 80)} is no ${wanted}`);
  switch (kind.type) {
    case 'string':
    case 'date-time':
      if (typeof value !== 'string') wrong('text');
      return;
    case 'boolean':
      if (typeof value !== 'boolean') wrong('boolean');
      return;
    case 'integer':
      if (!Number.isInteger(value)) wrong('whole number');
      return;
    case 'number':
      if (typeof value !== 'number') wrong('number');
      return;
    case 'array':
      if (!Array.isArray(value)) wrong('list');
      else {
        for (const [i, item] of value.entries()) {
          checkValue(`${path}[${i}]`, item, kind.element, problems);
        }
      }
      return;
    case 'map':
      if (!isObject(value)) wrong('map');
      else {
        for (const [key, item] of Object.entries(value)) {
          checkValue(`${path}.${key}`, item, kind.element, problems);
        }
      }
      return;
    case 'tag':
      if (!isObject(value) || typeof value.Key !== 'string') wrong('tag');
      return;
    case 'union': {
      const fits = kind.types.some((type) => {
        const found: string[] = [];
        checkValue(path, value, type, found);
        return found.length === 0;
      });
      if (!fits) wrong('value of any of its types');
      return;
    }
    case 'ref': {
      if (!isObject(value)) {
        wrong('object');
        return;
      }
      const definition = database.get('typeDefinition', kind.reference.$ref);
      checkObject(path, value, definition.properties as unknown as Spec, problems);
      return;
    }
    case 'json':
    case 'null':
      return;
  }
}

function isIntrinsic(value: unknown): boolean {
  if (!isObject(value)) return false;
  const [key, ...more] = Object.keys(value);
  return more.length === 0 && (key === 'Ref' || key?.startsWith('Fn::') === true);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
