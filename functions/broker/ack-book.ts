/** Sends an acknowledgement; `upTo`: of this delivery tag and every lower one not yet acknowledged. */
export type SendAck = (tag: number, upTo: boolean) => void;

/**
 * Acknowledges deliveries of one channel with as few frames as their order allows. As long as nothing
 * is to stay, one frame covers all that are done up to the first that isn't. The first delivery that
 * stays ends that: a frame for "everything up to here" would take it along.
 *
 * The newest delivery is acknowledged last of all: see {@link AckBook.finish}.
 */
export class AckBook {
  readonly #send: SendAck;
  readonly #done = new Set<number>();
  #doneCount = 0;
  /** Every tag below is acknowledged. */
  #base = 1;
  #firstHeld = Number.POSITIVE_INFINITY;
  #newest = 0;

  constructor(send: SendAck) {
    this.#send = send;
  }

  /** Deliveries of the channel that are not done with. */
  get openCount(): number {
    return this.#newest - this.#doneCount;
  }

  /** A delivery came; tags of a channel count from 1. */
  came(tag: number): void {
    this.#newest = tag;
  }

  /** This delivery is done with. Nothing is sent before {@link flush}. */
  done(tag: number): void {
    this.#done.add(tag);
    this.#doneCount += 1;
  }

  /** This delivery stays in the queue, whatever comes; it is never done with later. */
  hold(tag: number): void {
    this.#firstHeld = Math.min(this.#firstHeld, tag);
  }

  /** Sends what one frame can cover, and each done delivery behind one that stays. */
  flush(): void {
    let next = this.#base;
    while (next < this.#firstHeld && next !== this.#newest && this.#done.delete(next)) next += 1;
    if (next > this.#base) {
      this.#send(next - 1, true);
      this.#base = next;
    }
    if (this.#firstHeld === Number.POSITIVE_INFINITY) return;
    for (const tag of this.#done) {
      if (tag < this.#firstHeld || tag === this.#newest) continue;
      this.#done.delete(tag);
      this.#send(tag, false);
    }
  }

  /**
   * Sends everything that is done: at the end, when no earlier delivery will be done any more. Returns
   * the delivery to be given back before all others, by itself: once it shows in the queue, what was sent
   * here has been carried out. It is the first that stays; when none does, the newest, which is done with
   * and was kept back for that. Undefined when nothing came.
   */
  finish(): number | undefined {
    this.flush();
    if (this.#newest < this.#base) return undefined;
    let first = this.#base;
    while (first < this.#newest && this.#done.has(first)) first += 1;
    if (this.openCount === 0) this.#done.delete(this.#newest);
    for (const tag of this.#done) this.#send(tag, false);
    this.#done.clear();
    return first;
  }
}
