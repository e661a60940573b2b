import { join } from 'node:path';

/** Where one broker process listens; all on 127.0.0.1. */
export interface BrokerPorts {
  readonly amqp: number;
  readonly management: number;
  /** Erlang's port mapper; one of our own, so that it ends with the broker. */
  readonly epmd: number;
  /** Erlang's distribution, on which the command line tools talk to the broker. */
  readonly distribution: number;
}

/** A RabbitMQ on this disk that can be started as a plain process. */
export interface Installation {
  /** The server's own script, not a distribution's wrapper that switches the user. */
  readonly serverScript: string;
  readonly epmd: string;
  readonly hasManagement: boolean;
  /** RabbitMQ's own mover, which `npm run bench` measures a replay against. */
  readonly hasShovel: boolean;
  /** What it needs to find its Erlang: `PATH`, and for an unpacked one `ERL_ROOTDIR` and `LD_LIBRARY_PATH`. */
  readonly env: Readonly<Record<string, string>>;
}

/** `rabbitmq.conf` of one throw-away broker. */
export function rabbitmqConf(ports: BrokerPorts, hasManagement: boolean): string {
  const lines = [
    `listeners.tcp.1 = 127.0.0.1:${ports.amqp}`,
    'listeners.ssl = none',
    // The default asks for 50 MB free too, but some packages raise it to a share of the memory.
    'disk_free_limit.absolute = 50MB',
    'log.console = true',
    'log.console.level = info',
    'log.file = false',
  ];
  if (hasManagement) {
    lines.push('management.tcp.ip = 127.0.0.1', `management.tcp.port = ${ports.management}`);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * `advanced.config` of it: figures of queues every second instead of every five, so that nobody who looks at
 * a local broker waits for them.
 */
export const ADVANCED_CONFIG =
  '[{rabbit, [{collect_statistics_interval, 1000}, {quorum_tick_interval, 1000}]}].\n';

/** `enabled_plugins` of it, an Erlang term. */
export function enabledPlugins({
  hasManagement,
  hasShovel,
}: Pick<Installation, 'hasManagement' | 'hasShovel'>): string {
  const plugins = [
    ...(hasManagement ? ['rabbitmq_management'] : []),
    ...(hasShovel ? ['rabbitmq_shovel'] : []),
  ];
  return `[${plugins.join(',')}].\n`;
}

/**
 * The whole environment of the broker process. Nothing of ours is handed on: a `RABBITMQ_…` or `ERL_…`
 * of the person's shell would turn this broker into another one. `HOME` is where Erlang puts its cookie.
 */
export function rabbitmqEnvironment(
  folder: string,
  installation: Installation,
  ports: BrokerPorts,
): Record<string, string> {
  return {
    ...installation.env,
    HOME: folder,
    TMPDIR: folder,
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    RABBITMQ_NODENAME: `layover-${ports.amqp}@localhost`,
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_PID_FILE: join(folder, 'broker.pid'),
    // Some of these files don't exist: the machine's own settings must not be read instead.
    RABBITMQ_CONF_ENV_FILE: join(folder, 'rabbitmq-env.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'advanced.config'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(ports.amqp),
    RABBITMQ_DIST_PORT: String(ports.distribution),
    // Without this Erlang's distribution listens on every interface.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    // Has the start script become the broker, instead of waiting for it as a shell in between.
    RUNNING_UNDER_SYSTEMD: 'true',
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
  };
}

/** Why a broker did not start, out of its log: the lines that name an error, else the last ones. */
export function reasonFromLog(log: string): string {
  const lines = log
    .split('\n')
    .map((line) => line.replace(/^\d{4}-\d\d-\d\d [\d:.+-]+ */, '').trim())
    .filter((line) => line !== '' && !/^=+$/.test(line));
  const telling = lines.filter((line) => /eaddrinuse|error|fail|denied|cannot|can't/i.test(line));
  const chosen = telling.length > 0 ? telling.slice(0, 3) : lines.slice(-3);
  return chosen.join(' | ').slice(0, 400) || 'it printed nothing';
}

/** Whether another process had taken one of the ports: worth another try with others. */
export function isPortTaken(reason: string): boolean {
  return /eaddrinuse|address (already )?in use|already in use|port_in_use/i.test(reason);
}
