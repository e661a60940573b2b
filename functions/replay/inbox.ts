/**
 * Between the scan, which can't wait, and the mover, which must. Taking waits until as many as asked
 * for are there, or the first has waited long enough, or nothing more will come.
 */
export class Inbox<T extends { readonly bytes: number }> {
  #items: T[] = [];
  #bytes = 0;
  #ended = false;
  #wake: (() => void) | undefined;

  get size(): number {
    return this.#items.length;
  }

  /** Of all that waits. */
  get bytes(): number {
    return this.#bytes;
  }

  put(item: T): void {
    this.#items.push(item);
    this.#bytes += item.bytes;
    this.#wake?.();
  }

  /** Nothing more will come. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** At most `count` items, in order; none at the end, or after `patienceMs` without any. */
  async take(count: number, patienceMs: number): Promise<T[]> {
    const untilMs = performance.now() + patienceMs;
    while (this.#items.length < count && !this.#ended) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) break;
      await this.#change(leftMs);
    }
    if (count >= this.#items.length) {
      const all = this.#items;
      this.#items = [];
      this.#bytes = 0;
      return all;
    }
    const taken = this.#items.splice(0, count);
    for (const { bytes } of taken) this.#bytes -= bytes;
    return taken;
  }

  /** True when nothing is left and nothing will come. */
  get over(): boolean {
    return this.#ended && this.#items.length === 0;
  }

  async #change(withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
    this.#wake = undefined;
  }
}
