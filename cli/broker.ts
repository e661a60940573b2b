import { findBroker } from '../infra/local/broker/find.ts';
import { runningLocalRun } from '../infra/local/running.ts';

/** A broker for one command, and what functions need in their environment beside it. */
export interface CommandBroker {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** True when it was started for this command and ends with it. */
  readonly temporary: boolean;
  stop(): Promise<void>;
}

/** What is said to a person; stdout belongs to the result. */
export const say = (line: string): void => console.error(line);

/**
 * The broker a command works on: `AMQP_URL`, else the local run that is up, else one that is found
 * or started as `npm start` does and stopped again afterwards.
 */
export async function commandBroker(): Promise<CommandBroker> {
  const given = process.env.AMQP_URL;
  const running = given ? undefined : await runningLocalRun();
  if (running) {
    say('Using the broker of the local run that is up.');
    return { url: running.amqpUrl, env: running.env, temporary: false, stop: async () => {} };
  }
  const broker = await findBroker({ print: say, env: process.env });
  const temporary = broker.source !== 'AMQP_URL';
  return { url: broker.url, env: {}, temporary, stop: () => broker.stop() };
}
