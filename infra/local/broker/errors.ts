/** One choice gives no broker here; the message is the reason that is printed before the next is tried. */
export class ChoiceFailedError extends Error {
  readonly code = 'BROKER_CHOICE_FAILED';

  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'ChoiceFailedError';
  }
}

/** No choice gave a broker; the message says why for each, and how to get one. */
export class NoBrokerError extends Error {
  readonly code = 'NO_BROKER';
  /** Reason by choice, in the order they were tried. */
  readonly reasons: ReadonlyMap<string, string>;

  constructor(message: string, reasons: ReadonlyMap<string, string>) {
    super(message);
    this.name = 'NoBrokerError';
    this.reasons = reasons;
  }
}

/** One line of whatever was thrown: the message of an error (of its parts, where it has none itself), else its text. */
export function reasonOf(error: unknown): string {
  return textOf(error).replace(/\s+/g, ' ').trim();
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  // A host with several addresses fails with an AggregateError that says nothing itself.
  if (error instanceof AggregateError) return error.errors.map(textOf).join('; ');
  return error.name;
}
