import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUTHORITY_PEM, LOCALHOST_CERTIFICATE_PEM, LOCALHOST_KEY_PEM } from './tls-fixture.ts';

/** HTTPS in front of a plain HTTP service, as Amazon MQ offers the management API. */
export class TlsFront {
  readonly #server: Server;
  readonly #folder = mkdtempSync(join(tmpdir(), 'layover-tls-'));

  private constructor(target: string) {
    const identity = { key: LOCALHOST_KEY_PEM, cert: LOCALHOST_CERTIFICATE_PEM };
    this.#server = createServer(identity, async ({ url = '/', headers }, response) => {
      const answer = await fetch(new URL(url, target), {
        headers: { authorization: headers.authorization ?? '' },
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(await answer.text());
    });
    writeFileSync(this.authorityFile, AUTHORITY_PEM);
  }

  static async start(target: string): Promise<TlsFront> {
    const front = new TlsFront(target);
    front.#server.listen(0, 'localhost');
    await once(front.#server, 'listening');
    return front;
  }

  get url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** For `NODE_EXTRA_CA_CERTS` of a process that shall trust it. */
  get authorityFile(): string {
    return join(this.#folder, 'authority.pem');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
