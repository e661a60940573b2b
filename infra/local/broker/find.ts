import { ChoiceFailedError, NoBrokerError, reasonOf } from './errors.ts';
import { fromDocker } from './from-docker.ts';
import { fromPackages } from './from-packages.ts';
import { fromPath } from './from-path.ts';
import { fromUrl } from './from-url.ts';
import type { BrokerChoice, ChoiceContext, RunningBroker } from './types.ts';

export type { RunningBroker } from './types.ts';

/** The choices in the order they are tried; the names are the values of `LAYOVER_BROKER`. */
const CHOICES = {
  url: fromUrl,
  docker: fromDocker,
  path: fromPath,
  packages: fromPackages,
} as const satisfies Record<string, BrokerChoice>;

/** Printed with the reasons when nothing helped. */
const WAYS_OUT = [
  'Three ways to get one:',
  '  1. point AMQP_URL at a RabbitMQ that runs, e.g. AMQP_URL=amqp://guest:guest@127.0.0.1:5672',
  '  2. start Docker, so that the image rabbitmq:4.3-management can run (LAYOVER_BROKER_IMAGE names another)',
  '  3. install rabbitmq-server: apk add rabbitmq-server, brew install rabbitmq, dnf install rabbitmq-server,',
  '     or choco install rabbitmq and then way 1',
];

/**
 * Finds or gets a real broker: `AMQP_URL`, Docker, `rabbitmq-server` on the PATH, Debian's or Ubuntu's packages.
 * Each choice that fails prints its reason and the next is tried; all of them end within minutes.
 * `LAYOVER_BROKER` (`url`, `docker`, `path` or `packages`) allows that one only.
 *
 * What was started ends with `stop()`, or with our process, however that ends.
 *
 * @throws NoBrokerError when none gave a broker; the message has the reasons and three ways to get one
 * @throws the signal's reason when it aborts
 */
export async function findBroker(
  context: ChoiceContext,
  choices: Readonly<Record<string, BrokerChoice>> = CHOICES,
): Promise<RunningBroker> {
  const reasons = new Map<string, string>();
  for (const [name, choice] of allowed(context.env.LAYOVER_BROKER, choices)) {
    context.signal?.throwIfAborted();
    const label = name === 'url' ? 'AMQP_URL' : name;
    // An unset AMQP_URL is the ordinary case: no choice that failed, but one that was not made.
    const silent = name === 'url' && !context.env.AMQP_URL && !context.env.LAYOVER_BROKER;
    if (!silent) context.print(`broker: trying ${label}`);
    try {
      const broker = await choice(context);
      context.print(`broker: ${broker.version} at ${broker.maskedUrl} (${broker.source})`);
      return broker;
    } catch (error) {
      context.signal?.throwIfAborted();
      const reason = reasonOf(error);
      reasons.set(label, reason);
      // Anything but an expected failure is a mistake of ours; it must not keep a newcomer from a broker.
      const kind = error instanceof ChoiceFailedError ? '' : ' (unexpected)';
      if (!silent) context.print(`broker: ${label} gives none${kind}: ${reason}`);
    }
  }
  const lines = [...reasons].map(([label, reason]) => `  ${label}: ${reason}`);
  throw new NoBrokerError(['No RabbitMQ to be had:', ...lines, ...WAYS_OUT].join('\n'), reasons);
}

function allowed(
  forced: string | undefined,
  choices: Readonly<Record<string, BrokerChoice>>,
): Array<[string, BrokerChoice]> {
  if (!forced) return Object.entries(choices);
  const choice = choices[forced];
  if (choice === undefined || !Object.hasOwn(choices, forced)) {
    const names = Object.keys(choices).join(', ');
    throw new NoBrokerError(
      `LAYOVER_BROKER must be one of ${names}, got '${forced}'. Unset it to try all of them.`,
      new Map(),
    );
  }
  return [[forced, choice]];
}
