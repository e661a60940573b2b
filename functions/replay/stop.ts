import type { EndState } from './run-state.ts';

/** Why a worker stops moving messages. */
export type StopReason =
  /** The run ends: a regression, the kill switch, a target that takes nothing, a person's cancel. */
  | { readonly kind: 'end'; readonly state: EndState; readonly why: string }
  /** This worker is out of time; the run goes on in the next slice, or with the next worker. */
  | { readonly kind: 'slice-over' }
  /** What was held is lost, or the broker is away. */
  | { readonly kind: 'trouble'; readonly error: unknown };

/** Set once; asked before each message. */
export class Stop {
  #reason: StopReason | undefined;
  readonly #controller = new AbortController();

  get reason(): StopReason | undefined {
    return this.#reason;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first reason stays. */
  because(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller.abort();
  }
}
