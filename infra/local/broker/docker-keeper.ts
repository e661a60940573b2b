import { connect } from 'node:net';
import { RabbitMQContainer, type StartedRabbitMQContainer } from '@testcontainers/rabbitmq';
import { type ContainerRuntimeClient, getContainerRuntimeClient } from 'testcontainers';
import { daemonReason, newestManagementImage } from './docker-image.ts';
import { reasonOf } from './errors.ts';
import { type KeeperTools, runKeeper } from './keeper-main.ts';
import { isOwnHost } from './ports.ts';
import { ADVANCED_CONFIG } from './rabbitmq-config.ts';

/** Run as a keeper process; `argv[2]` is this. */
interface Spec {
  readonly image: string;
  /** Whether another local image may stand in when this one can't be had. */
  readonly mayReplace: boolean;
}

const ASK_TIMEOUT_MS = 20_000;
/** A pull is given up when it says nothing new for so long. */
const PULL_SILENCE_MS = 45_000;
const START_TIMEOUT_MS = 90_000;
const SOCKET = '/var/run/docker.sock';

/** Holds one container whose ports are on loopback only. */
async function keepContainer({ report, onEnd }: KeeperTools): Promise<void> {
  const { image: wanted, mayReplace }: Spec = JSON.parse(process.argv[2] ?? '');
  report({ type: 'step', text: 'asking the Docker daemon', withinMs: ASK_TIMEOUT_MS });
  const client = await dockerClient();
  const image = await obtainImage(client, wanted, mayReplace, report);

  report({ type: 'step', text: `starting ${image}`, withinMs: START_TIMEOUT_MS });
  // In a container Testcontainers names the gateway; of a daemon beside us that is our own address.
  const local = await isOwnHost(client.info.containerRuntime.host);
  const container = await new LoopbackRabbitMQContainer(image, local, (id) =>
    onEnd(() => client.container.dockerode.getContainer(id).remove({ force: true, v: true })),
  )
    // The image's own plug-ins, and the mover that `npm run bench` measures a replay against.
    .withCopyContentToContainer([
      {
        content: '[rabbitmq_management,rabbitmq_shovel].\n',
        target: '/etc/rabbitmq/enabled_plugins',
      },
      { content: ADVANCED_CONFIG, target: '/etc/rabbitmq/advanced.config' },
    ])
    .withStartupTimeout(START_TIMEOUT_MS)
    .start();
  report({ type: 'ready', data: urlsOf(container, local) });
}

function urlsOf(
  container: StartedRabbitMQContainer,
  local: boolean,
): { amqpUrl: string; managementUrl: string } {
  // The ports are bound on the IPv4 loopback; `localhost` may be resolved to the other one first.
  const host = local ? '127.0.0.1' : container.getHost();
  return {
    amqpUrl: `amqp://guest:guest@${host}:${container.getMappedPort(5672)}`,
    managementUrl: `http://${host}:${container.getMappedPort(15672)}`,
  };
}

/** Testcontainers binds ports on every interface; a broker with guest/guest belongs on loopback. */
class LoopbackRabbitMQContainer extends RabbitMQContainer {
  readonly #local: boolean;
  readonly #created: (id: string) => void;

  constructor(image: string, local: boolean, created: (id: string) => void) {
    super(image);
    this.#local = local;
    this.#created = created;
  }

  protected override async beforeContainerCreated(): Promise<void> {
    // On another machine's Docker its loopback would be out of our reach.
    if (!this.#local) return;
    const onLoopback = [{ HostIp: '127.0.0.1', HostPort: '0' }];
    this.hostConfig.PortBindings = { '5672/tcp': onLoopback, '15672/tcp': onLoopback };
    this.exposedPorts = [5672, 15672];
  }

  protected override async containerCreated(id: string): Promise<void> {
    this.#created(id);
  }
}

async function dockerClient(): Promise<ContainerRuntimeClient> {
  try {
    return await getContainerRuntimeClient();
  } catch (error) {
    // Testcontainers tells only that none of its ways worked; the usual socket knows more.
    const host = process.env.DOCKER_HOST;
    if (host) throw new Error(`Docker at ${host} does not answer (${reasonOf(error)})`);
    throw new Error(daemonReason(await socketErrorCode(SOCKET), SOCKET));
  }
}

function socketErrorCode(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}

async function obtainImage(
  client: ContainerRuntimeClient,
  wanted: string,
  mayReplace: boolean,
  report: KeeperTools['report'],
): Promise<string> {
  const { dockerode } = client.container;
  const present = await dockerode
    .getImage(wanted)
    .inspect()
    .then(() => true)
    .catch(() => false);
  if (present) return wanted;
  let reason: string;
  try {
    await pull(client, wanted, report);
    return wanted;
  } catch (error) {
    reason = `${wanted} can't be pulled: ${reasonOf(error)}`;
  }
  const local = mayReplace ? newestManagementImage(await dockerode.listImages()) : undefined;
  if (local === undefined) throw new Error(reason);
  report({ type: 'step', text: `${reason}; using ${local}`, withinMs: START_TIMEOUT_MS });
  return local;
}

/** Pulls, or throws when the registry refuses or falls silent. */
async function pull(
  { container: { dockerode } }: ContainerRuntimeClient,
  image: string,
  report: KeeperTools['report'],
): Promise<void> {
  const silence = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), PULL_SILENCE_MS);
    // The parent waits a little longer, so that the reason comes from here.
    report({ type: 'step', text: `pulling ${image}`, withinMs: PULL_SILENCE_MS + 10_000 });
  };
  heard();
  const silent = new Promise<never>((_, reject) => {
    silence.signal.addEventListener('abort', () =>
      reject(new Error(`the registry said nothing for ${PULL_SILENCE_MS / 1000} s`)),
    );
  });
  const pulled = (async () => {
    const stream = await dockerode.pull(image, { abortSignal: silence.signal });
    await new Promise<void>((resolve, reject) => {
      dockerode.modem.followProgress(stream, (error) => (error ? reject(error) : resolve()), heard);
    });
  })();
  try {
    await Promise.race([pulled, silent]);
  } finally {
    clearTimeout(timer);
    pulled.catch(() => {});
  }
}

runKeeper(keepContainer);
