export type ManagementErrorCode =
  | 'MANAGEMENT_UNREACHABLE'
  | 'MANAGEMENT_REFUSED'
  | 'MANAGEMENT_NOT_FOUND'
  | 'MANAGEMENT_FAILED';

/** The management API did not do what was asked; the message says what, and what to look at. */
export class ManagementError extends Error {
  override readonly name = 'ManagementError';
  readonly code: ManagementErrorCode;
  /** HTTP status, when there was an answer. */
  readonly status?: number;

  constructor(
    code: ManagementErrorCode,
    message: string,
    options: ErrorOptions & { readonly status?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.status !== undefined) this.status = options.status;
  }
}

export interface ManagementOptions {
  /** `https://<host>` on Amazon MQ, without a path. */
  readonly baseUrl: string;
  readonly username: string;
  readonly password: string;
  /** Patience per request, in milliseconds. @default 10000 */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** RabbitMQ's management API: what AMQP can't say (totals, users, virtual hosts) and can't do. */
export class Management {
  readonly #options: ManagementOptions;

  constructor(options: ManagementOptions) {
    this.#options = options;
  }

  /**
   * Asks for `path`, given below `/api/`, as JSON.
   * @throws ManagementError; `MANAGEMENT_NOT_FOUND` when there is no such thing.
   */
  get(path: string): Promise<unknown> {
    return this.#send('GET', path);
  }

  /** Creates or replaces. */
  async put(path: string, body: object = {}): Promise<void> {
    await this.#send('PUT', path, body);
  }

  /** Removes; what is not there is removed already. */
  async delete(path: string): Promise<void> {
    try {
      await this.#send('DELETE', path);
    } catch (error) {
      if (error instanceof ManagementError && error.code === 'MANAGEMENT_NOT_FOUND') return;
      throw error;
    }
  }

  async #send(method: 'GET' | 'PUT' | 'DELETE', path: string, body?: object): Promise<unknown> {
    const { baseUrl, username, password, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const url = new URL(`/api/${path}`, baseUrl);
    const what = `${method} ${url.pathname} at ${url.host}`;
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method,
        headers: {
          authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(timeoutMs),
      });
      text = await response.text();
    } catch (cause) {
      throw new ManagementError(
        'MANAGEMENT_UNREACHABLE',
        `${what} got no answer within ${timeoutMs} ms (${reason(cause)}). Check that the broker runs and that its security group lets the function in.`,
        { cause },
      );
    }
    if (response.ok) return text === '' ? undefined : parse(text, what);
    throw failure(response.status, what, username, text);
  }
}

/** One path segment: a virtual host, queue or user. `/` becomes `%2F`. */
export function segment(name: string): string {
  return encodeURIComponent(name);
}

function failure(status: number, what: string, username: string, text: string): ManagementError {
  const said = text.replace(/\s+/g, ' ').slice(0, 300);
  switch (status) {
    case 401:
    case 403:
      return new ManagementError(
        'MANAGEMENT_REFUSED',
        `${what} was refused (${status}) for the user '${username}': ${said}. Check its password in the secret, its tags and its permissions.`,
        { status },
      );
    case 404:
      return new ManagementError('MANAGEMENT_NOT_FOUND', `${what}: not found.`, { status });
    default:
      return new ManagementError('MANAGEMENT_FAILED', `${what} answered ${status}: ${said}`, {
        status,
      });
  }
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ManagementError('MANAGEMENT_FAILED', `${what} answered with something not JSON.`, {
      cause,
    });
  }
}

function reason(cause: unknown): string {
  const error = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return error instanceof Error ? error.message || error.name : String(error);
}
