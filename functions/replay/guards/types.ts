/** Every guard by the name of its metric (`skipped because`) and audit line. */
export const GUARDS = [
  'kill-switch',
  'alarms',
  'work-depth',
  'hourly-budget',
  'batch',
  'rate',
  'class',
  'min-age',
  'max-age',
  'lifetime-cap',
  'signature-backoff',
  'origin',
  'uncertain',
  'still-wanted',
  'in-progress',
] as const;
export type GuardName = (typeof GUARDS)[number];

/** Something a guard needs to know, or why it can't be known: then the guard doesn't hold. */
export type Reading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'unreadable'; readonly why: string };

export type GuardAnswer =
  | { readonly holds: true }
  | { readonly holds: false; readonly guard: GuardName; readonly because: string };

export const HOLDS: GuardAnswer = { holds: true };

export function refuses(guard: GuardName, because: string): GuardAnswer {
  return { holds: false, guard, because };
}

export function read<T>(value: T): Reading<T> {
  return { kind: 'read', value };
}

export function unreadable<T>(why: string): Reading<T> {
  return { kind: 'unreadable', why };
}

/** Asks for a reading; whatever goes wrong makes it unreadable. Never rejects. */
export async function reading<T>(ask: () => T | Promise<T>): Promise<Reading<T>> {
  try {
    return read(await ask());
  } catch (error) {
    return unreadable(error instanceof Error ? error.message : String(error));
  }
}

/** Applies `judge` to what was read; an unreadable one refuses. */
export function judged<T>(
  guard: GuardName,
  from: Reading<T>,
  judge: (value: T) => GuardAnswer,
): GuardAnswer {
  return from.kind === 'read' ? judge(from.value) : refuses(guard, `can't be read: ${from.why}`);
}
