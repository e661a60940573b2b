import amqp, { type ChannelModel } from 'amqplib';
import { Management, ManagementError, segment } from '../../../functions/broker/management.ts';
import { brokerUrl, managementUrl } from '../../helpers/broker.ts';

/** A virtual host of the test's own on the shared broker, gone afterwards with all that is in it. */
export class ScratchVhost {
  readonly name: string;
  readonly admin: Management;

  constructor(name: string) {
    this.name = name;
    const { username, password } = new URL(brokerUrl());
    this.admin = new Management({
      baseUrl: managementUrl(),
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
    });
  }

  /** Environment of a function that uses this virtual host as the administrator. */
  get env(): Readonly<Record<string, string>> {
    return {
      AMQP_URL: this.url,
      LAYOVER_BROKER_VHOST: this.name,
      LAYOVER_MANAGEMENT_URL: managementUrl(),
      LAYOVER_ENVIRONMENT: 'test',
    };
  }

  get url(): string {
    return this.as();
  }

  /** The URL for another user. */
  as(username?: string, password?: string): string {
    const url = new URL(brokerUrl());
    url.pathname = `/${segment(this.name)}`;
    if (username !== undefined) url.username = username;
    if (password !== undefined) url.password = password;
    return url.href;
  }

  connect(): Promise<ChannelModel> {
    return amqp.connect(this.url);
  }

  /** What the management API says of a queue; undefined when there is none. */
  async queue(name: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    try {
      const path = `queues/${segment(this.name)}/${segment(name)}`;
      return (await this.admin.get(path)) as Readonly<Record<string, unknown>>;
    } catch (error) {
      if (error instanceof ManagementError && error.code === 'MANAGEMENT_NOT_FOUND') return;
      throw error;
    }
  }

  create(): Promise<void> {
    return this.admin.put(`vhosts/${segment(this.name)}`);
  }

  async remove(users: readonly string[] = []): Promise<void> {
    await this.admin.delete(`vhosts/${segment(this.name)}`);
    for (const user of users) await this.admin.delete(`users/${segment(user)}`);
  }
}
