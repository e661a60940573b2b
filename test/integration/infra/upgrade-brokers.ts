import { getContainerRuntimeClient } from 'testcontainers';
import { waitForBroker } from '../../../infra/local/broker/connect.ts';
import { brokerUrl, brokerVersion, managementUrl } from '../../helpers/broker.ts';
import { until } from '../../helpers/until.ts';

/** A broker as a test reaches it. */
export interface BrokerAccess {
  /** Its virtual host, if any, is of no interest. */
  readonly amqpUrl: string;
  readonly managementUrl: string;
  readonly version: string;
}

/** One broker's data, first under an older version, then under a newer one. */
export interface Upgrade {
  readonly from: string;
  readonly to: string;
  /** Starts the older version on empty data. */
  start(): Promise<BrokerAccess>;
  /** Ends it and starts the newer version on what it left. */
  upgrade(): Promise<BrokerAccess>;
  end(): Promise<void>;
}

const OLD_IMAGE = 'rabbitmq:4.0-management';
const NEW_IMAGE = 'rabbitmq:4.3-management';
const START_TIMEOUT_MS = 90_000;

/**
 * A real upgrade from 4.0 to 4.3 on one volume, where Docker runs here and has both images; else the
 * run's own broker for both, which shows that declaring again is equal on that version, and no more.
 */
export async function findUpgrade(): Promise<Upgrade> {
  const docker = await dockerWithBothImages();
  return docker === undefined ? sameBroker() : dockerUpgrade(docker);
}

function sameBroker(): Upgrade {
  const access = async () => ({
    amqpUrl: brokerUrl(),
    managementUrl: managementUrl(),
    version: brokerVersion(),
  });
  return {
    from: brokerVersion(),
    to: brokerVersion(),
    start: access,
    upgrade: access,
    end: async () => undefined,
  };
}

type Docker = Awaited<ReturnType<typeof getContainerRuntimeClient>>['container']['dockerode'];

async function dockerWithBothImages(): Promise<Docker | undefined> {
  try {
    const { container, info } = await getContainerRuntimeClient();
    // Ports are bound on this machine's loopback.
    if (!['localhost', '127.0.0.1', '::1'].includes(info.containerRuntime.host)) return undefined;
    const images = await container.dockerode.listImages();
    const tags = images.flatMap(({ RepoTags }) => RepoTags ?? []);
    return [OLD_IMAGE, NEW_IMAGE].every((image) => tags.includes(image))
      ? container.dockerode
      : undefined;
  } catch {
    return undefined;
  }
}

function dockerUpgrade(docker: Docker): Upgrade {
  const volume = `layover-test-upgrade-${process.pid}`;
  let current: ReturnType<Docker['getContainer']> | undefined;

  const run = async (image: string): Promise<BrokerAccess> => {
    const onLoopback = [{ HostIp: '127.0.0.1', HostPort: '0' }];
    current = await docker.createContainer({
      Image: image,
      // The node's name is in its data.
      Hostname: 'layover-upgrade',
      ExposedPorts: { '5672/tcp': {}, '15672/tcp': {} },
      HostConfig: {
        Binds: [`${volume}:/var/lib/rabbitmq`],
        PortBindings: { '5672/tcp': onLoopback, '15672/tcp': onLoopback },
      },
    });
    await current.start();
    const { Ports } = (await current.inspect()).NetworkSettings;
    const port = (name: string) => Ports[name]?.[0]?.HostPort;
    const amqpUrl = `amqp://guest:guest@127.0.0.1:${port('5672/tcp')}`;
    const version = await waitForBroker(amqpUrl, { timeoutMs: START_TIMEOUT_MS });
    return { amqpUrl, managementUrl: `http://127.0.0.1:${port('15672/tcp')}`, version };
  };
  const inside = async (command: readonly string[]): Promise<void> => {
    const exec = await current?.exec({ Cmd: [...command], AttachStdout: true, AttachStderr: true });
    const stream = await exec?.start({});
    stream?.resume();
    const ended = await until(
      `${command.join(' ')} has ended`,
      async () => {
        const state = await exec?.inspect();
        return state?.Running === false ? state : undefined;
      },
      { timeoutMs: START_TIMEOUT_MS, intervalMs: 200 },
    );
    if (ended.ExitCode !== 0) throw new Error(`${command.join(' ')} ended with ${ended.ExitCode}.`);
  };
  const remove = async (): Promise<void> => {
    await current?.remove({ force: true });
    current = undefined;
  };

  return {
    from: OLD_IMAGE,
    to: NEW_IMAGE,
    async start() {
      await docker.createVolume({ Name: volume });
      return run(OLD_IMAGE);
    },
    async upgrade() {
      // 4.3 keeps its metadata in Khepri alone, so the older version must have moved there before.
      await inside(['rabbitmqctl', 'enable_feature_flag', '--experimental', 'khepri_db']);
      await inside(['rabbitmqctl', 'stop_app']);
      await remove();
      return run(NEW_IMAGE);
    },
    async end() {
      await remove();
      await docker.getVolume(volume).remove({ force: true });
    },
  };
}
