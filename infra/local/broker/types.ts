/** Where a broker came from; also the values `LAYOVER_BROKER` accepts to force one choice (`url` for `AMQP_URL`). */
export type BrokerSource = 'AMQP_URL' | 'docker' | 'path' | 'packages';

/** A real RabbitMQ that answered a connection, and the way to end it if we started it. */
export interface RunningBroker {
  /** With credentials: for clients, never for printing. */
  readonly url: string;
  /** The same with `***` for the password: for printing. */
  readonly maskedUrl: string;
  /** Product and version from the server properties of a real connection, e.g. `RabbitMQ 4.3.6`. */
  readonly version: string;
  /** Base of the management API without credentials (those of `url` fit); absent when it doesn't answer. */
  readonly managementUrl?: string;
  readonly source: BrokerSource;
  /** Every port of this machine that was opened for it, on 127.0.0.1; empty for a broker that was there already. */
  readonly openedPorts: readonly number[];
  /** Ends what was started and removes its data; does nothing for a broker that was there already. Safe to call twice. */
  stop(): Promise<void>;
}

/** What every choice is given. */
export interface ChoiceContext {
  /** Takes one line for people at a time. */
  readonly print: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One way to a broker. Resolves with a broker that was connected to, or throws
 * a `ChoiceFailedError` whose message is the reason, inside a bounded time.
 */
export type BrokerChoice = (context: ChoiceContext) => Promise<RunningBroker>;
