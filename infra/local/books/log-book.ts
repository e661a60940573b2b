/** What a function's log line says about one message. */
export interface LoggedVerdict {
  readonly messageId: string;
  readonly flow: string;
  readonly verdict: string;
  readonly class: string | undefined;
  readonly attempt: number | undefined;
  readonly to: string | undefined;
  readonly errorMessage: string | undefined;
}

type LogRecord = Readonly<Record<string, unknown>>;

/** Keeps what a flow's function logged: a JSON line per failed or ignored message, and its metrics. */
export class LogBook {
  readonly #idsByVerdict = new Map<string, string[]>();
  readonly #handlerRuns = new Map<number, number>();

  /** Reads one line of output; gives the verdict in it, or undefined for any other line. */
  read(line: string): LoggedVerdict | undefined {
    const record = parseRecord(line);
    if (record === undefined) return undefined;
    for (const attempt of attemptsIn(record)) {
      this.#handlerRuns.set(attempt, (this.#handlerRuns.get(attempt) ?? 0) + 1);
    }
    const logged = verdictIn(record);
    if (logged !== undefined) {
      const ids = this.#idsByVerdict.get(logged.verdict) ?? [];
      ids.push(logged.messageId);
      this.#idsByVerdict.set(logged.verdict, ids);
    }
    return logged;
  }

  /** Message ids of all lines with this verdict, one per line. */
  idsOf(verdict: string): readonly string[] {
    return this.#idsByVerdict.get(verdict) ?? [];
  }

  /** Handler runs by attempt, from the metrics; what a killed process did not report is missing. */
  get handlerRuns(): ReadonlyMap<number, number> {
    return this.#handlerRuns;
  }
}

function parseRecord(line: string): LogRecord | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as LogRecord;
  } catch {
    return undefined;
  }
}

function attemptsIn(record: LogRecord): readonly number[] {
  if (record._aws === undefined || record.Attempts === undefined) return [];
  const values = Array.isArray(record.Attempts) ? record.Attempts : [record.Attempts];
  return values.filter((value): value is number => typeof value === 'number');
}

function verdictIn(record: LogRecord): LoggedVerdict | undefined {
  const { messageId, verdict, attempt } = record;
  if (typeof messageId !== 'string' || typeof verdict !== 'string') return undefined;
  return {
    messageId,
    verdict,
    flow: text(record.flow) ?? '',
    class: text(record.class),
    attempt: typeof attempt === 'number' ? attempt : undefined,
    to: text(record.to),
    errorMessage: text(record.errorMessage),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
