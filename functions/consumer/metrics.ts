/**
 * Counters of one invocation, printed as CloudWatch's embedded metric format.
 * Powertools' Metrics adds a dimension `service` that can't be left out, and every dimension value
 * costs money per month, so the few lines are our own. The names are the contract with the alarms.
 */
export const NAMESPACE = 'Layover';

export const METRICS = {
  /** Handler runs. */
  handled: 'Handled',
  done: 'Done',
  /** Also per tier (dimension `tier`). */
  retried: 'Retried',
  /** Also per class (dimension `class`). */
  parked: 'Parked',
  discarded: 'Discarded',
  deferred: 'Deferred',
  duplicates: 'Duplicates',
  isolated: 'Isolated',
  settleFailures: 'SettleFailures',
  /** Distribution: one value per handler run. */
  attempts: 'Attempts',
  redelivered: 'Redelivered',
  /** 1 when the broker blocked us in this invocation (memory or disk alarm). */
  brokerBlocked: 'BrokerBlocked',
  /** Outcomes of replayed messages that replay's table could not be told. */
  outcomesLost: 'ReplayOutcomesLost',
} as const;
export type MetricName = (typeof METRICS)[keyof typeof METRICS];

/** EMF takes at most this many values per metric and line. */
const MAX_VALUES = 100;

type ExtraDimension = 'tier' | 'class';

export class Counters {
  readonly #counts = new Map<MetricName, number>();
  readonly #byDimension = new Map<
    string,
    { name: MetricName; by: ExtraDimension; value: string; n: number }
  >();
  readonly #attempts: number[] = [];
  readonly #base: { readonly environment: string; readonly flow: string };

  constructor(environment: string, flow: string) {
    this.#base = { environment, flow };
  }

  count(name: MetricName, n = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + n);
  }

  set(name: MetricName, n: number): void {
    this.#counts.set(name, n);
  }

  /** Counts once in total and once under the extra dimension. */
  countBy(name: MetricName, by: ExtraDimension, value: string): void {
    this.count(name);
    const key = `${name}/${value}`;
    const entry = this.#byDimension.get(key);
    if (entry === undefined) this.#byDimension.set(key, { name, by, value, n: 1 });
    else entry.n++;
  }

  attempt(number: number): void {
    this.#attempts.push(number);
  }

  of(name: MetricName): number {
    return this.#counts.get(name) ?? 0;
  }

  /** The lines to print, JSON each; nothing when nothing was counted. */
  lines(timestampMs: number): string[] {
    const lines: string[] = [];
    if (this.#counts.size > 0)
      lines.push(emf(timestampMs, this.#base, Object.fromEntries(this.#counts)));
    for (let from = 0; from < this.#attempts.length; from += MAX_VALUES) {
      const values = this.#attempts.slice(from, from + MAX_VALUES);
      lines.push(emf(timestampMs, this.#base, { [METRICS.attempts]: values }));
    }
    for (const { name, by, value, n } of this.#byDimension.values()) {
      lines.push(emf(timestampMs, { ...this.#base, [by]: value }, { [name]: n }));
    }
    return lines;
  }
}

/** One line of the embedded metric format: every value is a count. */
export function emf(
  timestampMs: number,
  dimensions: Readonly<Record<string, string>>,
  metrics: Readonly<Record<string, number | readonly number[]>>,
): string {
  return JSON.stringify({
    _aws: {
      Timestamp: timestampMs,
      CloudWatchMetrics: [
        {
          Namespace: NAMESPACE,
          Dimensions: [Object.keys(dimensions)],
          Metrics: Object.keys(metrics).map((Name) => ({ Name, Unit: 'Count' })),
        },
      ],
    },
    ...dimensions,
    ...metrics,
  });
}
