import type { Topology } from './types.ts';
import { validateTopology } from './validate.ts';

/** A user of the broker that the deployment makes, with what it may touch. */
export interface ManagedUser {
  /** Secret with `username` and `password`. */
  readonly secretArn: string;
  /** RabbitMQ's tags: `monitoring` lets a user read the management API. */
  readonly tags: readonly string[];
  /** Regular expressions over names, as RabbitMQ takes them. */
  readonly configure: string;
  readonly write: string;
  readonly read: string;
}

/**
 * Properties of the custom resource. Model and users are JSON text, since CloudFormation turns every
 * number and boolean of a property into text, and a TTL of `"30000"` is not a TTL of `30000`.
 */
export interface ResourceProperties {
  readonly Vhost: string;
  readonly Mode: 'apply' | 'check';
  readonly Model: string;
  readonly Users: string;
}

export interface TopologyRequest {
  readonly vhost: string;
  readonly mode: 'apply' | 'check';
  readonly topology: Topology;
  readonly users: readonly ManagedUser[];
}

/** Properties that no version of this product writes. */
export class ResourcePropertiesError extends Error {
  override readonly name = 'ResourcePropertiesError';
  readonly code = 'BAD_PROPERTIES';
}

/**
 * Reads the properties CloudFormation hands over, and checks the model as if it were ours to make.
 * @throws ResourcePropertiesError, or TopologyError for a model that must not be applied.
 */
export function parseProperties(properties: Readonly<Record<string, unknown>>): TopologyRequest {
  const { Vhost, Mode, Model, Users } = properties;
  if (typeof Vhost !== 'string' || Vhost === '') {
    throw new ResourcePropertiesError(`Vhost must be a name, got ${JSON.stringify(Vhost)}.`);
  }
  if (Mode !== 'apply' && Mode !== 'check') {
    throw new ResourcePropertiesError(
      `Mode must be 'apply' or 'check', got ${JSON.stringify(Mode)}.`,
    );
  }
  const topology = parseJson('Model', Model) as Topology;
  for (const key of ['exchanges', 'queues', 'bindings'] as const) {
    if (!Array.isArray(topology[key])) {
      throw new ResourcePropertiesError(`Model has no list '${key}'; deploy with \`cdk deploy\`.`);
    }
  }
  validateTopology(topology);
  const users = parseJson('Users', Users);
  if (!Array.isArray(users)) {
    throw new ResourcePropertiesError(`Users must be a list, got ${JSON.stringify(users)}.`);
  }
  return { vhost: Vhost, mode: Mode, topology, users: users as ManagedUser[] };
}

function parseJson(name: string, text: unknown): object {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw new ResourcePropertiesError(`${name} must be JSON text.`, { cause });
  }
  throw new ResourcePropertiesError(`${name} must be JSON text, got ${JSON.stringify(text)}.`);
}
