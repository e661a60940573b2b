/** One thing wrong with a flow's definition. */
export interface FlowProblem {
  /** Path of the field, as one would write it: `schedule.delays[1]`. Empty: the definition itself. */
  readonly field: string;
  /** The offending value as text, shortened. */
  readonly value: string;
  /** What is wrong and what to write instead. */
  readonly message: string;
}

/** A flow's definition can't be used. Everything wrong with it is listed, not only the first. */
export class FlowDefinitionError extends Error {
  override readonly name = 'FlowDefinitionError';
  readonly code = 'FLOW_DEFINITION';
  readonly problems: readonly FlowProblem[];

  constructor(flow: string, problems: readonly FlowProblem[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    const lines = problems.map(
      ({ field, message }) => `\n- ${field ? `${field}: ` : ''}${message}`,
    );
    super(`${flow} is not usable, ${count}:${lines.join('')}`);
    this.problems = problems;
  }
}

/** Collects what is wrong while a definition is read. */
export class Problems {
  readonly list: FlowProblem[] = [];

  /** `message` may hold `{got}`, which becomes the value. */
  add(field: string, value: unknown, message: string): void {
    const shown = showValue(value);
    this.list.push({ field, value: shown, message: message.replaceAll('{got}', () => shown) });
  }

  /** Whether nothing was found at these fields or inside them, so that they can be compared. */
  clean(...fields: readonly string[]): boolean {
    return !this.list.some((problem) =>
      fields.some(
        (field) =>
          problem.field === field ||
          problem.field.startsWith(`${field}.`) ||
          problem.field.startsWith(`${field}[`),
      ),
    );
  }
}

/** Any value as short text for a message; never throws. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return clip(`'${value}'`);
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return clip(value instanceof RegExp ? String(value) : JSON.stringify(value));
  } catch {
    return 'an object';
  }
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
