import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { withDeadline } from './deadline.ts';
import { ConnectionError } from './errors.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface ReadOptions {
  /** True after a refused login: the cached value is not good enough. */
  readonly fresh: boolean;
  readonly deadlineAtMs: number;
}

/** Errors of the service that the next second won't cure. */
const LASTING = new Set([
  'AccessDeniedException',
  'ResourceNotFoundException',
  'ValidationException',
  'InvalidRequestException',
  'DecryptionFailure',
]);

/**
 * The broker's user from Secrets Manager: JSON with `username` and `password`, as the event source
 * mapping wants it too. Read when first needed and kept for the life of the process; a rotation is
 * noticed by a refused login, which asks with `fresh`. Callers at the same time share one request.
 */
export class SecretCredentials {
  readonly #secretArn: string;
  readonly #now: () => number;
  #client: SecretsManagerClient | undefined;
  #cached: Credentials | undefined;
  #reading: Promise<Credentials> | undefined;

  constructor(secretArn: string, now: () => number) {
    this.#secretArn = secretArn;
    this.#now = now;
  }

  /** @throws ConnectionError `SECRET_UNREADABLE`, by the deadline at the latest. */
  async read(options: ReadOptions): Promise<Credentials> {
    if (!options.fresh && this.#cached !== undefined) return this.#cached;
    this.#reading ??= this.#fetch().finally(() => {
      this.#reading = undefined;
    });
    return withDeadline(
      this.#reading,
      options.deadlineAtMs,
      this.#now,
      () => new ConnectionError('SECRET_UNREADABLE', `${this.#label()} did not answer in time.`),
    );
  }

  async #fetch(): Promise<Credentials> {
    // Loaded here, so that a function with AMQP_URL never pays for the SDK.
    const { SecretsManagerClient, GetSecretValueCommand } = await import(
      '@aws-sdk/client-secrets-manager'
    );
    this.#client ??= new SecretsManagerClient({
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000 },
    });
    const command = new GetSecretValueCommand({ SecretId: this.#secretArn });
    const reply = await this.#client.send(command).catch((cause: unknown) => {
      const name = cause instanceof Error ? cause.name : 'unknown error';
      throw new ConnectionError('SECRET_UNREADABLE', `${this.#label()} can't be read: ${name}.`, {
        cause,
        retryable: !LASTING.has(name),
      });
    });
    this.#cached = this.#parse(reply.SecretString);
    return this.#cached;
  }

  /** Never repeats the text: a JSON error message would quote the password. */
  #parse(text: string | undefined): Credentials {
    const found = toObject(text);
    const username = found.username;
    const password = found.password;
    if (typeof username === 'string' && username !== '' && typeof password === 'string') {
      return { username, password };
    }
    throw new ConnectionError(
      'SECRET_UNREADABLE',
      `${this.#label()} must be JSON with the texts "username" and "password".`,
      { retryable: false },
    );
  }

  #label(): string {
    return `The broker's secret ${this.#secretArn}`;
  }
}

function toObject(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
