/** One look of the schedule: what it moved, and which guards kept something back. */
export interface Look {
  readonly moved: number;
  readonly guards: ReadonlySet<string>;
}

export interface MovedMessage {
  readonly flow: string;
  readonly messageId: string;
}

type LogRecord = Readonly<Record<string, unknown>>;

/** Deeds of replay that put a message back into its work queue. */
const MOVES: readonly unknown[] = ['moved', 'presumed-moved'];

/** Keeps what the schedule's function logged: a line per message it moved, and its metrics. */
export class ReplayBook {
  readonly #moved = new Map<string, Set<string>>();
  #look: { moved: number; guards: Set<string> } = { moved: 0, guards: new Set() };

  /** Reads one line of output; gives the message it says was moved, or undefined for any other line. */
  read(line: string): MovedMessage | undefined {
    const record = parse(line);
    if (record === undefined) return undefined;
    const { flow, messageId, deed, guard } = record;
    if (typeof guard === 'string' && record.ReplaySkipped !== undefined) {
      this.#look.guards.add(guard);
    }
    if (record.message !== 'replay' || !MOVES.includes(deed)) return undefined;
    if (typeof flow !== 'string' || typeof messageId !== 'string') return undefined;
    this.#look.moved++;
    const ids = this.#moved.get(flow) ?? new Set();
    this.#moved.set(flow, ids.add(messageId));
    return { flow, messageId };
  }

  /** Ends a look and gives what it came to. */
  endLook(): Look {
    const look = this.#look;
    this.#look = { moved: 0, guards: new Set() };
    return look;
  }

  /** Ids of the messages of a flow that were moved, each once. */
  movedOf(flow: string): ReadonlySet<string> {
    return this.#moved.get(flow) ?? new Set();
  }

  get movedCount(): number {
    return [...this.#moved.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

function parse(line: string): LogRecord | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as LogRecord;
  } catch {
    return undefined;
  }
}
