import { signatureOf } from '../policy/signature.ts';
import type { Failure, FailureClass } from '../policy/types.ts';

/** A failure the consumer found by itself, without anything thrown. */
export function ownFailure(
  failureClass: FailureClass,
  rule: string,
  name: string,
  message: string,
): Failure {
  const facts = { name, message, fields: {}, isError: true, depth: 0 };
  const signature = signatureOf(failureClass, name, [facts]);
  return { class: failureClass, rule, name, message, signature };
}
