import { NOT_GIVEN } from '../../functions/replay/requests.ts';
import { UsageError } from '../exit.ts';

/** Why a brake was pulled. It must work at three in the morning, without a word, too. */
export function brakeReasonOf(text: string | undefined): string {
  return text === undefined || text.trim() === '' ? NOT_GIVEN : text;
}

/** Why something is done; the audit keeps it. @throws UsageError when nothing was said */
export function reasonOf(text: string | undefined): string {
  if (text !== undefined && text.trim() !== '') return text;
  throw new UsageError(
    "A reason is missing; say why, for those who read the audit: --reason 'payments are back'",
  );
}
