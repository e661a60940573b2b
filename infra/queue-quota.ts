import { queueQuota } from './engine-rules.ts';
import { EnvironmentError } from './environment-error.ts';
import type { Environment } from './environment-types.ts';

/**
 * Refuses an environment whose broker can't hold all queues.
 * @throws EnvironmentError `queue-quota`, with the arithmetic.
 */
export function checkQueueQuota(
  environment: Environment,
  queues: readonly { readonly flow: string }[],
): void {
  const { broker, name } = environment;
  const quota =
    broker.queueLimit ?? queueQuota(broker.engine, broker.instanceType, broker.deployment);
  const others = broker.otherQueues ?? 0;
  const wanted = queues.length + others;
  if (wanted <= quota) return;
  const perFlow = Object.entries(Object.groupBy(queues, ({ flow }) => flow))
    .map(([flow, own]) => `${flow} ${own?.length ?? 0}`)
    .join(', ');
  throw new EnvironmentError(
    'queue-quota',
    `${name}.broker.instanceType: ${broker.instanceType} (${broker.deployment}, RabbitMQ ${broker.engine}) allows ${quota} queues, ${wanted} are wanted: ${perFlow}${others > 0 ? `, others ${others}` : ''}. Choose a larger instance type, fewer tiers or jitter lanes, or raise the broker's cluster_queue_limit and set ${name}.broker.queueLimit to it.`,
  );
}
