import { EnvironmentError } from './environment-error.ts';

/** Engine versions Amazon MQ offers for RabbitMQ, oldest first; the version is given as major.minor. */
export const ENGINES = ['3.13', '4.2', '4.3'] as const;
export type Engine = (typeof ENGINES)[number];
export type Deployment = 'single' | 'cluster';

/** Instance families an engine runs on. RabbitMQ 4 exists on Graviton only. */
const FAMILIES: Readonly<Record<Engine, readonly string[]>> = {
  '3.13': ['t3', 'm5', 'm7g'],
  '4.2': ['m7g'],
  '4.3': ['m7g'],
};

const SIZES: Readonly<Record<string, readonly string[]>> = {
  t3: ['micro'],
  m5: ['large', 'xlarge', '2xlarge', '4xlarge'],
  m7g: ['medium', 'large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge'],
};

/**
 * Queues a single-instance broker allows, as the developer guide lists them: on 4.x the default
 * resource limits, on 3.13 the sizing guidelines. Sizes left out allow at least as much as the
 * next smaller one that is listed.
 */
const SINGLE_QUOTA: Readonly<Record<'3.13' | '4', Readonly<Record<string, number>>>> = {
  '3.13': {
    't3.micro': 2_500,
    'm5.large': 30_000,
    'm5.xlarge': 60_000,
    'm5.2xlarge': 120_000,
    'm5.4xlarge': 240_000,
    'm7g.medium': 2_500,
    'm7g.large': 20_000,
  },
  '4': {
    'm7g.medium': 500,
    'm7g.large': 1_000,
    'm7g.xlarge': 2_000,
    'm7g.2xlarge': 4_000,
    'm7g.4xlarge': 8_000,
    'm7g.8xlarge': 16_000,
    'm7g.12xlarge': 24_000,
  },
};

/** The same for clusters, where only the two smallest sizes are certain; larger ones are taken to allow no less. */
const CLUSTER_QUOTA: Readonly<Record<string, number>> = {
  'm5.large': 1_000,
  'm7g.medium': 100,
  'm7g.large': 1_000,
};

/**
 * Refuses an instance type its engine or deployment mode doesn't run on.
 * @throws EnvironmentError `engine`, naming field, value and the choices.
 */
export function checkEngine(
  field: string,
  engine: string,
  instanceType: string,
  deployment: Deployment,
): void {
  if (!isEngine(engine)) {
    throw new EnvironmentError(
      'engine',
      `${field}.engine: ${JSON.stringify(engine)} is not offered. Choose one of ${ENGINES.join(', ')}.`,
    );
  }
  const [prefix, family = '', size = ''] = instanceType.split('.');
  const choices = FAMILIES[engine].flatMap((f) => (SIZES[f] ?? []).map((s) => `mq.${f}.${s}`));
  if (prefix !== 'mq' || !FAMILIES[engine].includes(family) || !SIZES[family]?.includes(size)) {
    throw new EnvironmentError(
      'engine',
      `${field}.instanceType: RabbitMQ ${engine} does not run on ${JSON.stringify(instanceType)}. Choose one of ${choices.join(', ')}.`,
    );
  }
  if (deployment === 'cluster' && family === 't3') {
    throw new EnvironmentError(
      'engine',
      `${field}.deployment: ${instanceType} can't form a cluster. Choose 'single', or an m5 or m7g instance type.`,
    );
  }
}

/** Queues the broker allows, for an engine and instance type that {@link checkEngine} accepts. */
export function queueQuota(engine: Engine, instanceType: string, deployment: Deployment): number {
  const [, family = '', size = ''] = instanceType.split('.');
  const table =
    deployment === 'cluster' ? CLUSTER_QUOTA : SINGLE_QUOTA[engine === '3.13' ? '3.13' : '4'];
  const sizes = SIZES[family] ?? [];
  const upTo = sizes.slice(0, sizes.indexOf(size) + 1);
  return Math.max(...upTo.map((s) => table[`${family}.${s}`] ?? 0));
}

function isEngine(value: string): value is Engine {
  return (ENGINES as readonly string[]).includes(value);
}
