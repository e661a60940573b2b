import type { ReplayStore } from '../../functions/replay/store/replay-store.ts';
import { Died } from './replay-world.ts';

/** A life of so many steps; at the last one, and at every later one, everything fails. */
export class Life {
  #left: number;
  readonly log: string[] = [];

  constructor(steps: number) {
    this.#left = steps;
  }

  get over(): boolean {
    return this.#left <= 0;
  }

  readonly step = (what: string): void => {
    if (this.#left <= 0) throw new Died(`dead before: ${what}`);
    this.#left -= 1;
    this.log.push(what);
    if (this.#left <= 0) throw new Died(`died at: ${what}`);
  };
}

/** The store as a worker sees it that may die before and after each of its calls. */
export function mortalStore(store: ReplayStore, { step }: Pick<Life, 'step'>): ReplayStore {
  const parts = Object.entries(store).map(([part, functions]) => [
    part,
    Object.fromEntries(
      Object.entries(functions as Record<string, (...args: unknown[]) => Promise<unknown>>).map(
        ([name, call]) => [
          name,
          async (...args: unknown[]) => {
            step(`before ${part}.${name}`);
            const answer = await call(...args);
            step(`after ${part}.${name}`);
            return answer;
          },
        ],
      ),
    ),
  ]);
  return Object.fromEntries(parts) as ReplayStore;
}
