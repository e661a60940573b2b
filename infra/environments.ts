import { EnvironmentError } from './environment-error.ts';
import { defineEnvironment } from './environment-rules.ts';
import { ENVIRONMENT_NAMES, type Environment, type EnvironmentName } from './environment-types.ts';

/**
 * What `-c env=…` deploys. Every choice is written here; nothing is looked up in an account at
 * synth. `environment-types.ts` says what each key means, `docs/deploy.md` what it costs.
 */
export const environments: Readonly<Record<EnvironmentName, Environment>> = {
  /** Cheap: one small broker, one NAT gateway instead of endpoints, everything gone with the stack. */
  dev: defineEnvironment('dev', {
    enabled: true,
    vhost: 'layover',
    network: { kind: 'new', zones: 2, reach: 'nat' },
    broker: {
      kind: 'new',
      engine: '4.2',
      instanceType: 'mq.m7g.medium',
      deployment: 'single',
      maintenance: { day: 'SUNDAY', timeUtc: '03:00' },
    },
    topology: 'apply',
    users: { kind: 'made' },
    logRetentionDays: 7,
    removal: 'destroy',
    alarms: { page: [], ticket: [] },
    replay: 'on',
  }),

  /** As prod in everything that can break a deployment, on one node. */
  staging: defineEnvironment('staging', {
    enabled: true,
    vhost: 'layover',
    network: { kind: 'new', zones: 2, reach: 'endpoints' },
    broker: {
      kind: 'new',
      engine: '4.2',
      instanceType: 'mq.m7g.medium',
      deployment: 'single',
      maintenance: { day: 'SUNDAY', timeUtc: '03:00' },
    },
    topology: 'apply',
    users: { kind: 'made' },
    logRetentionDays: 30,
    removal: 'destroy',
    alarms: { page: [], ticket: [] },
    replay: 'on',
  }),

  /** Three nodes in three zones; nothing that holds messages or their history goes with the stack. */
  prod: defineEnvironment('prod', {
    enabled: true,
    vhost: 'layover',
    network: { kind: 'new', zones: 3, reach: 'endpoints' },
    broker: {
      kind: 'new',
      engine: '4.2',
      instanceType: 'mq.m7g.large',
      deployment: 'cluster',
      maintenance: { day: 'SUNDAY', timeUtc: '03:00' },
    },
    topology: 'apply',
    users: { kind: 'made' },
    logRetentionDays: 90,
    removal: 'retain',
    alarms: { page: [], ticket: [] },
    // Look at what it would have done for a while, then say 'on'.
    replay: 'observe',
  }),
};

/**
 * The environment of that name.
 * @throws EnvironmentError `unknown-environment`, listing what exists.
 */
export function environmentNamed(name: unknown): Environment {
  const found = ENVIRONMENT_NAMES.find((known) => known === name);
  if (found === undefined) {
    const given = name === undefined ? 'none was named' : `${JSON.stringify(name)} is unknown`;
    throw new EnvironmentError(
      'unknown-environment',
      `env: ${given}. Name one with -c env=<name>: ${ENVIRONMENT_NAMES.join(', ')}.`,
    );
  }
  return environments[found];
}
