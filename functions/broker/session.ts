import type { OutgoingCopy } from '../message/types.ts';
import type { BrokerConnection } from './connection.ts';
import { withDeadline } from './deadline.ts';
import { ConnectionError } from './errors.ts';
import { createLogin, type Login } from './login.ts';
import { openPublisher, type Publisher } from './publisher.ts';
import type { BrokerConfig, BrokerSession } from './types.ts';

export interface SessionOptions {
  /** Shown in the broker's list of connections, for example `layover/orders`. */
  readonly connectionName: string;
  /** Epoch milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/** A connection unused for longer may have been frozen with its function and dropped by the broker. */
const PROVE_AFTER_IDLE_MS = 5_000;
const PROOF_PATIENCE_MS = 2_000;
const CONNECT_PATIENCE_MS = 10_000;

/**
 * Makes a session: nothing is opened before the first publish, and whoever asks meanwhile shares one
 * attempt. A closed channel or connection is replaced at the next publish; one that was idle or met a
 * deadline in silence proves itself with a round trip first, and a channel that was refused a message
 * gives way to a new one. Publishing is never repeated here: after
 * an error with `mayBeWritten` only the caller knows whether a second copy is worse than none.
 */
export function createSession(config: BrokerConfig, options: SessionOptions): BrokerSession {
  const now = options.now ?? Date.now;
  return new Session(createLogin(config, { connectionName: options.connectionName, now }), now);
}

class Session implements BrokerSession {
  readonly #login: Login;
  readonly #now: () => number;
  #connection: BrokerConnection | undefined;
  #publisher: Publisher | undefined;
  #readying: Promise<Publisher> | undefined;
  #usedAtMs = 0;
  #inDoubt = false;
  #closed = false;

  constructor(login: Login, now: () => number) {
    this.#login = login;
    this.#now = now;
  }

  publish(copy: OutgoingCopy, deadlineAtMs: number): Promise<void> {
    const publisher = this.#publisher;
    if (publisher?.open === true && !this.#mustReplace(publisher) && !this.#mustProve()) {
      this.#usedAtMs = this.#now();
      return publisher.publish(copy, deadlineAtMs);
    }
    return this.#ready(deadlineAtMs).then((ready) => ready.publish(copy, deadlineAtMs));
  }

  /** Resolves in any case: an invocation whose messages all succeed needs no broker. */
  async wake(deadlineAtMs: number): Promise<void> {
    if (this.#publisher === undefined || !this.#isIdle()) return;
    // A broker that blocked us answers nothing; if it still does, a new connection is told so soon.
    if (this.#isBlocked()) this.#connection?.drop('it was blocked before a pause');
    else await this.#prove(deadlineAtMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connection?.close();
  }

  /**
   * Not while the broker blocks us: it reads nothing, so it would fail every proof, and each connection
   * given up leaves copies in its buffers that are taken when the alarm ends.
   */
  #mustProve(): boolean {
    return this.#isIdle() && !this.#isBlocked();
  }

  /** Not while blocked either: no channel would be opened. */
  #mustReplace(publisher: Publisher): boolean {
    return publisher.worn && !this.#isBlocked();
  }

  #isIdle(): boolean {
    return this.#inDoubt || this.#now() - this.#usedAtMs > PROVE_AFTER_IDLE_MS;
  }

  #isBlocked(): boolean {
    return this.#connection?.blocked !== undefined;
  }

  /** A publisher that is open and was heard from lately. Shared by callers at the same time. */
  #ready(deadlineAtMs: number): Promise<Publisher> {
    if (this.#closed) return Promise.reject(closedError());
    this.#readying ??= this.#renew(deadlineAtMs).finally(() => {
      this.#readying = undefined;
    });
    return withDeadline(
      this.#readying,
      deadlineAtMs,
      this.#now,
      () => new ConnectionError('NO_ANSWER', 'No connection to the broker before the deadline.'),
    );
  }

  async #renew(deadlineAtMs: number): Promise<Publisher> {
    if (this.#publisher?.open === true && this.#mustProve()) await this.#prove(deadlineAtMs);
    const before = this.#publisher;
    if (before?.open === true && !this.#mustReplace(before)) return before;
    if (this.#connection === undefined || this.#connection.lost !== undefined) {
      const patientUntilMs = this.#now() + CONNECT_PATIENCE_MS;
      this.#connection = await this.#login(Math.min(deadlineAtMs, patientUntilMs));
    }
    if (this.#closed) {
      this.#connection.drop('the session was closed');
      throw closedError();
    }
    const maxBodyBytes = before?.maxBodyBytes;
    before?.retire();
    this.#publisher = await openPublisher(this.#connection, deadlineAtMs, {
      now: this.#now,
      onSilence: () => {
        this.#inDoubt = true;
      },
      ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
    });
    this.#heard();
    return this.#publisher;
  }

  /** Asks for a round trip; whoever doesn't answer is dropped, so that the next publish connects anew. */
  async #prove(deadlineAtMs: number): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || connection.lost !== undefined) return;
    try {
      await this.#publisher?.prove(Math.min(deadlineAtMs, this.#now() + PROOF_PATIENCE_MS));
      this.#heard();
    } catch {
      connection.drop('it did not answer after a pause');
    }
  }

  #heard(): void {
    this.#usedAtMs = this.#now();
    this.#inDoubt = false;
  }
}

function closedError(): ConnectionError {
  return new ConnectionError('CONNECTION_LOST', 'The session was closed.', { retryable: false });
}
