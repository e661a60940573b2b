import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'amqplib';
import { ChoiceFailedError, reasonOf } from './errors.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const RETRY_PAUSE_MS = 250;

/** Connects once, reads `product version` from the server properties, and closes. Throws what the client throws. */
export async function readBrokerVersion(
  url: string,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<string> {
  const connection = await connect(url, { timeout: timeoutMs });
  // An error after the handshake is of no interest: the connection is about to be closed.
  connection.on('error', () => {});
  const { product, version } = connection.connection.serverProperties;
  await Promise.race([connection.close().catch(() => {}), sleep(1_000, undefined, { ref: false })]);
  return `${product} ${version}`;
}

/**
 * Connects again and again until the broker answers.
 * Throws a `ChoiceFailedError` when `timeoutMs` is over, or as soon as `gone` has a reason why it never will.
 */
export async function waitForBroker(
  url: string,
  options: {
    readonly timeoutMs: number;
    readonly signal?: AbortSignal | undefined;
    readonly gone?: () => string | undefined;
  },
): Promise<string> {
  const endsAtMs = Date.now() + options.timeoutMs;
  for (;;) {
    options.signal?.throwIfAborted();
    let reason: string;
    try {
      return await readBrokerVersion(url);
    } catch (error) {
      reason = reasonOf(error);
    }
    const gone = options.gone?.();
    if (gone !== undefined) throw new ChoiceFailedError(gone);
    if (Date.now() >= endsAtMs) {
      throw new ChoiceFailedError(
        `the broker did not answer within ${Math.round(options.timeoutMs / 1000)} s: ${reason}`,
      );
    }
    await sleep(RETRY_PAUSE_MS, undefined, options.signal ? { signal: options.signal } : {});
  }
}
