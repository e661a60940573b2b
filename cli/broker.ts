import { findBroker } from '../infra/local/broker/find.ts';
import { type RunningLocalRun, runningLocalRuns } from '../infra/local/running.ts';
import { CommandFailedError } from './exit.ts';
import { say } from './output.ts';

/** A broker for one command, and what functions need in their environment beside it. */
export interface CommandBroker {
  readonly url: string;
  /** What was announced by the local run that is up; empty for any other broker. */
  readonly env: Readonly<Record<string, string>>;
  readonly kind: /** The one of `AMQP_URL`. */
    | 'given'
    /** The one of a local run that is up, with the flow's queues on it. */
    | 'local-run'
    /** Started for this command; ends with it. */
    | 'temporary';
  stop(): Promise<void>;
}

export interface BrokerWish {
  /** The flow whose queues are needed. */
  readonly flow: string;
  /** Whether a broker may be started for this command, when none is up. */
  readonly start: boolean;
}

/**
 * The broker a command works on: `AMQP_URL`, else that of a local run which is up, else, if the command
 * can make sense of an empty one, one that is found or started as `npm start` does and stopped again.
 * @throws NoBrokerError when `AMQP_URL` does not work, or nothing can be started
 * @throws CommandFailedError when nothing is up and nothing may be started, or the run that is up has other flows
 */
export async function commandBroker({ flow, start }: BrokerWish): Promise<CommandBroker> {
  if (process.env.AMQP_URL?.trim()) return givenBroker();
  const runs = await runningLocalRuns();
  const run = runs.find(({ flows }) => flows.includes(flow));
  if (run) {
    say(`Using the broker of the local run that is up (process ${run.pid}).`);
    return { url: run.amqpUrl, env: run.env, kind: 'local-run', stop: async () => {} };
  }
  if (runs[0]) throw new CommandFailedError(otherFlows(runs[0], flow));
  if (!start) {
    throw new CommandFailedError(
      `No broker is up. Run in another terminal: npm start -- --keep --flow ${flow}\nOr point AMQP_URL at one that has the flow's queues.`,
    );
  }
  const broker = await findBroker({ print: say, env: process.env });
  return { url: broker.url, env: {}, kind: 'temporary', stop: () => broker.stop() };
}

/** Checked before anything else is done, and never replaced by another one if it does not answer. */
async function givenBroker(): Promise<CommandBroker> {
  const { url } = await findBroker({
    print: () => {},
    env: { ...process.env, LAYOVER_BROKER: 'url' },
  });
  return { url, env: {}, kind: 'given', stop: async () => {} };
}

function otherFlows({ pid, flows }: RunningLocalRun, flow: string): string {
  return `The local run that is up (process ${pid}) has the queues of ${flows.join(', ')}, not of ${flow}. End it and run: npm start -- --keep --flow ${flow}`;
}
