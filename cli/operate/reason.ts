import { UsageError } from '../exit.ts';

/** What the audit keeps of a brake pulled without a word: it must work at three in the morning. */
export const NOT_GIVEN = 'not given';

/** Why something is done; the audit keeps it. @throws UsageError when nothing was said */
export function reasonOf(text: string | undefined): string {
  if (text !== undefined && text.trim() !== '') return text;
  throw new UsageError(
    "A reason is missing; say why, for those who read the audit: --reason 'payments are back'",
  );
}
