import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KeeperTools, runKeeper } from './keeper-main.ts';
import { freePorts, isListening } from './ports.ts';
import {
  ADVANCED_CONFIG,
  type BrokerPorts,
  enabledPlugins,
  type Installation,
  rabbitmqConf,
  rabbitmqEnvironment,
  reasonFromLog,
} from './rabbitmq-config.ts';

/** Run as a keeper process; `argv[2]` is this. */
interface Spec {
  readonly installation: Installation;
  readonly ports?: Partial<BrokerPorts>;
}

const EPMD_START_TIMEOUT_MS = 10_000;
const BROKER_START_TIMEOUT_MS = 120_000;

/** Starts one broker process with its own epmd and a data folder that goes with it. */
async function keepBroker({ report, onEnd }: KeeperTools): Promise<void> {
  const { installation, ports: wanted }: Spec = JSON.parse(process.argv[2] ?? '');
  report({ type: 'step', text: 'starting a process', withinMs: BROKER_START_TIMEOUT_MS });

  const ports = await choosePorts(wanted);
  const folder = await mkdtemp(join(tmpdir(), 'layover-broker-'));
  onEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  await mkdir(join(folder, 'log'));
  await writeFile(join(folder, 'rabbitmq.conf'), rabbitmqConf(ports, installation.hasManagement));
  await writeFile(join(folder, 'enabled_plugins'), enabledPlugins(installation));
  await writeFile(join(folder, 'advanced.config'), ADVANCED_CONFIG);
  const logPath = join(folder, 'broker.log');
  const log = await open(logPath, 'a');
  const env = rabbitmqEnvironment(folder, installation, ports);
  const start = (command: string, args: readonly string[]): ChildProcess => {
    const child = spawn(command, args, {
      cwd: folder,
      env,
      // A process group of its own, so that all of it can be ended by one signal.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    onEnd(() => killGroup(child));
    return child;
  };
  const watch = (child: ChildProcess, name: string): void => {
    const failed = async (how: string): Promise<void> => {
      const reason = reasonFromLog(await readFile(logPath, 'utf8').catch(() => ''));
      throw new Error(`${name} ${how}: ${reason}`);
    };
    // A rejection nobody handles ends the keeper with this reason.
    child.once('error', (error) => void failed(`can't be started (${error.message})`));
    child.once('exit', (code, signal) => void failed(`ended (${signal ?? `exit ${code}`})`));
  };

  // In the foreground and before the broker: Erlang would start one itself that outlives it.
  watch(start(installation.epmd, ['-address', '127.0.0.1', '-port', `${ports.epmd}`]), 'epmd');
  const endsAtMs = Date.now() + EPMD_START_TIMEOUT_MS;
  while (!(await isListening(ports.epmd))) {
    if (Date.now() > endsAtMs) throw new Error('epmd does not listen');
    await sleep(50);
  }
  const broker = start(installation.serverScript, []);
  watch(broker, 'rabbitmq-server');
  while (!(await isListening(ports.amqp))) await sleep(100);
  report({ type: 'ready', data: { ports, folder, pid: broker.pid } });
}

async function choosePorts(wanted: Partial<BrokerPorts> = {}): Promise<BrokerPorts> {
  const [amqp = 0, management = 0, epmd = 0, distribution = 0] = await freePorts(4);
  return { amqp, management, epmd, distribution, ...wanted };
}

/** At once and for good: the data goes away with it, so there is nothing to shut down in order. */
async function killGroup(child: ChildProcess): Promise<void> {
  child.removeAllListeners('exit');
  if (child.pid === undefined) return;
  const running = child.exitCode === null && child.signalCode === null;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    return; // no such group: all of it is gone
  }
  if (running) await Promise.race([exited, sleep(5_000)]);
}

runKeeper(keepBroker);
