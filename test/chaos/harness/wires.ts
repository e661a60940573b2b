import { randomBytes } from 'node:crypto';
import { SecretsService } from '../../helpers/secrets-service.ts';
import { TcpProxy } from '../../helpers/tcp-proxy.ts';
import { BrokerAdmin } from './broker-admin.ts';
import type { ChaosStage } from './chaos-stage.ts';
import { startTlsFront, type TlsFront } from './tls-front.ts';

/**
 * Everything between a function and the world, so that it can be broken: its connection to the broker (TLS,
 * then a proxy, with user and password from a secret), the poller's, and the one to the table.
 */
export class Wires {
  readonly toBroker: TcpProxy;
  readonly ofPoller: TcpProxy;
  readonly toTable: TcpProxy;
  readonly secrets: SecretsService;
  readonly #stage: ChaosStage;
  readonly #front: TlsFront;
  readonly #admin: BrokerAdmin | undefined;
  #login: { readonly username: string; readonly password: string };
  readonly #user = `chaos-${randomBytes(4).toString('hex')}`;
  #rotations = 0;

  private constructor(
    stage: ChaosStage,
    parts: Pick<Wires, 'toBroker' | 'ofPoller' | 'toTable' | 'secrets'> & {
      front: TlsFront;
      admin: BrokerAdmin | undefined;
    },
  ) {
    this.#stage = stage;
    this.toBroker = parts.toBroker;
    this.ofPoller = parts.ofPoller;
    this.toTable = parts.toTable;
    this.secrets = parts.secrets;
    this.#front = parts.front;
    this.#admin = parts.admin;
    const { username, password } = new URL(stage.brokerUrl);
    this.#login = {
      username: decodeURIComponent(username) || 'guest',
      password: decodeURIComponent(password) || 'guest',
    };
  }

  static async lay(stage: ChaosStage, managementUrl: string | undefined): Promise<Wires> {
    const broker = new URL(stage.brokerUrl);
    const target = { host: broker.hostname, port: Number(broker.port || 5672) };
    const tableUrl = new URL(stage.table.env.AWS_ENDPOINT_URL_DYNAMODB ?? '');
    const toBroker = await TcpProxy.start(target);
    const wires = new Wires(stage, {
      toBroker,
      ofPoller: await TcpProxy.start(target),
      toTable: await TcpProxy.start({ port: Number(tableUrl.port) }),
      secrets: await SecretsService.start(() => ({ error: 'ResourceNotFoundException' })),
      front: await startTlsFront(toBroker.port),
      admin: BrokerAdmin.of(stage.brokerUrl, managementUrl),
    });
    if (wires.#admin !== undefined) await wires.rotate();
    wires.secrets.answer = () => ({ text: JSON.stringify(wires.#login) });
    return wires;
  }

  /** The login the functions are to use just now. */
  get login(): { readonly username: string; readonly password: string } {
    return this.#login;
  }

  get admin(): BrokerAdmin | undefined {
    return this.#admin;
  }

  /** For a function: it finds broker, secret and table behind the wires. */
  get env(): Readonly<Record<string, string>> {
    return {
      AMQP_URL: '',
      LAYOVER_BROKER_HOST: 'localhost',
      LAYOVER_BROKER_PORT: String(this.#front.port),
      LAYOVER_BROKER_VHOST:
        decodeURIComponent(new URL(this.#stage.brokerUrl).pathname.slice(1)) || '/',
      LAYOVER_BROKER_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:chaos',
      NODE_EXTRA_CA_CERTS: this.#stage.authorityFile,
      ...this.secrets.env,
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${this.toTable.port}`,
    };
  }

  get pollerUrl(): string {
    return this.ofPoller.through(this.#stage.brokerUrl);
  }

  /**
   * A new password at the broker and in the secret, and the open connections end. Without a management API
   * the broker's passwords can't be changed: then a no-op, told by the result.
   */
  async rotate(): Promise<boolean> {
    if (this.#admin === undefined) return false;
    this.#rotations += 1;
    const login = { username: this.#user, password: `password-${this.#rotations}` };
    await this.#admin.putUser(login.username, login.password);
    this.#login = login;
    this.toBroker.cut();
    return true;
  }

  async tableDown<T>(act: () => Promise<T>): Promise<T> {
    this.toTable.refuse(true);
    this.toTable.cut();
    try {
      return await act();
    } finally {
      this.toTable.refuse(false);
    }
  }

  /** Nothing passes to the broker, nothing is closed; afterwards the silent connections end. */
  async blackHole<T>(act: () => Promise<T>): Promise<T> {
    this.toBroker.blackHole(true);
    try {
      return await act();
    } finally {
      this.toBroker.blackHole(false);
      this.toBroker.cut();
    }
  }

  async close(): Promise<void> {
    await this.#front.close();
    await Promise.all([this.toBroker.close(), this.ofPoller.close(), this.toTable.close()]);
    await this.secrets.close();
    await this.#admin?.deleteUser(this.#user);
  }
}
