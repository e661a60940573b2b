import { basicAuthOf } from '../../infra/local/broker/management.ts';

/** AMQP URL of the broker the run uses, credentials included. */
export function brokerUrl(): string {
  return fromSetup('LAYOVER_TEST_AMQP_URL');
}

/** E.g. `RabbitMQ 4.3.6`. */
export function brokerVersion(): string {
  return fromSetup('LAYOVER_TEST_BROKER_VERSION');
}

/** Major and minor as numbers, for the few facts that differ between versions: `[4, 3]`. */
export function brokerMajorMinor(): readonly [major: number, minor: number] {
  const version = brokerVersion();
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined) throw new Error(`no version in '${version}'`);
  return [Number(major), Number(minor)];
}

/** Base URL of the management API, without credentials. Throws when the broker found has none. */
export function managementUrl(): string {
  return fromSetup('LAYOVER_TEST_MANAGEMENT_URL');
}

/**
 * Asks the management API, e.g. `managementGet('/api/queues/%2F/orders')`.
 * Resolves with the parsed body, or undefined for 404; throws on any other status.
 */
export async function managementGet(path: string): Promise<unknown> {
  const answer = await fetch(`${managementUrl()}${path}`, {
    headers: { authorization: basicAuthOf(brokerUrl()) },
    signal: AbortSignal.timeout(10_000),
  });
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
  return await answer.json();
}

function fromSetup(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(
      `${name} is not set. It comes from test/helpers/broker.setup.ts (projects integration and chaos).`,
    );
  }
  return value;
}
