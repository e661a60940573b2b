import type { Answers, Wire } from '../../functions/replay/operations/answers.ts';
import { OPERATIONS, type Operation, type Permission } from '../../functions/replay/operator.ts';

/** Fields of a request besides its operation. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Whoever answers an on-call engineer: the functions of an environment, or the same code in this
 * process. Commands know nothing else, so they are the same for both.
 */
export interface Operator {
  readonly environment: string;
  /** Whether it is a deployment: what moves there is confirmed first. */
  readonly deployed: boolean;
  /** What a command to follow needs, so that it goes to the same place: ` --env prod`. */
  readonly flags: string;
  /** The flows by name, as far as this project knows them. */
  readonly flows: readonly string[];
  /**
   * @param permission which of the functions to ask, when several do it. @default the first that does
   * @throws OperatorError with a code of the engine's or of the way to it
   */
  ask<O extends Operation>(
    operation: O,
    fields?: Fields,
    permission?: Permission,
  ): Promise<Wire<Answers[O]>>;
  close(): Promise<void>;
}

/** The first permission that allows the operation. */
export function permissionOf(operation: Operation): Permission {
  const all = Object.entries(OPERATIONS) as [Permission, readonly string[]][];
  const found = all.find(([, operations]) => operations.includes(operation));
  return found?.[0] ?? 'view';
}
