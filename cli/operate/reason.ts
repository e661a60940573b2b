import { UsageError } from '../exit.ts';

/** Why something is done; the audit keeps it. @throws UsageError when nothing was said */
export function reasonOf(text: string | undefined): string {
  if (text !== undefined && text.trim() !== '') return text;
  throw new UsageError(
    "A reason is missing; say why, for those who read the audit: --reason 'payments are back'",
  );
}
