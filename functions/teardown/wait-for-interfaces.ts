/** A network interface that still exists. */
export interface NetworkInterface {
  readonly id: string;
  readonly description: string;
}

export interface WaitOptions {
  /** Interfaces that pollers of event source mappings still have in the security group. */
  readonly list: () => Promise<readonly NetworkInterface[]>;
  readonly pause: (ms: number) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly deadlineAtMs: number;
}

/** The interfaces outlived the time there was; deleting the stack again goes on from here. */
export class InterfacesRemainError extends Error {
  override readonly name = 'InterfacesRemainError';
  readonly code = 'INTERFACES_REMAIN';
}

const PAUSE_MS = 15_000;

/**
 * Waits until Lambda has removed the network interfaces of the mappings. It reports a mapping as
 * deleted some minutes before they are gone, and until then neither security group nor subnet can be
 * deleted.
 * @throws InterfacesRemainError at the deadline, naming what remains.
 */
export async function waitForInterfaces(options: WaitOptions): Promise<void> {
  for (;;) {
    const left = await options.list();
    if (left.length === 0) return;
    if (options.now() + PAUSE_MS > options.deadlineAtMs) {
      const names = left.map(({ id, description }) => `${id} (${description})`).join(', ');
      throw new InterfacesRemainError(
        `Lambda has not removed the network interfaces of the deleted mappings yet: ${names}. Delete the stack again in half an hour; if they are still there, delete them in the EC2 console.`,
      );
    }
    await options.pause(PAUSE_MS);
  }
}
