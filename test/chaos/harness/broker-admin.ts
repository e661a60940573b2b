import { type Management, managementOf } from '../../../infra/local/books/management.ts';

const NO_LIMIT = 100_000_000;

/** What the harness does to a broker that has a management API: users and length limits. */
export class BrokerAdmin {
  readonly #management: Management;

  private constructor(management: Management) {
    this.#management = management;
  }

  /** Undefined without a management API. */
  static of(amqpUrl: string, managementUrl: string | undefined): BrokerAdmin | undefined {
    const management = managementOf(amqpUrl, managementUrl);
    return management && new BrokerAdmin(management);
  }

  /** Makes a user who may do everything in the virtual host, or changes the password. */
  async putUser(name: string, password: string): Promise<void> {
    const { vhost } = this.#management;
    await this.#send('PUT', `users/${name}`, { password, tags: '' });
    const all = { configure: '.*', write: '.*', read: '.*' };
    await this.#send('PUT', `permissions/${encodeURIComponent(vhost)}/${name}`, all);
  }

  deleteUser(name: string): Promise<void> {
    return this.#send('DELETE', `users/${name}`);
  }

  /** Lets the queues that fit the pattern hold no more than so many messages, until the policy is gone. */
  limitLength(policy: string, pattern: string, maxLength: number): Promise<void> {
    return this.#send('PUT', this.#policyPath(policy), {
      pattern,
      definition: { 'max-length': maxLength },
      priority: 10,
      'apply-to': 'queues',
    });
  }

  /** Lifts the limit before the policy goes: a quorum queue of 3.10 keeps one it lost. */
  async unlimit(policy: string, pattern: string): Promise<void> {
    await this.limitLength(policy, pattern, NO_LIMIT);
    await this.#send('DELETE', this.#policyPath(policy));
  }

  #policyPath(policy: string): string {
    return `policies/${encodeURIComponent(this.#management.vhost)}/${policy}`;
  }

  async #send(method: string, path: string, body?: object): Promise<void> {
    const { url, authorization } = this.#management;
    const answer = await fetch(`${url}/api/${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
    if (!answer.ok && answer.status !== 404) {
      throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    }
  }
}
