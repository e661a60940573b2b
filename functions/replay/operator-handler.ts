import type { Context } from 'aws-lambda';
import type { Flow } from '../policy/types.ts';
import {
  answer,
  answerError,
  callerOf,
  type FunctionUrlAnswer,
  type FunctionUrlEvent,
  requestOf,
} from './function-url.ts';
import { type OperatorPorts, operate, type Permission } from './operator.ts';
import { RequestReader } from './requests.ts';

/** Time kept for the answer. */
const ANSWER_MS = 2_000;

/**
 * Makes the Lambda behind the function URL of one permission: `view`, `bodies`, `replay` or `configure`.
 * IAM decides who may call which; the verified caller is the audit's "who".
 *
 * @example
 * export const handler = operatorHandler('view', flows, () => openReplay(process.env));
 */
export function operatorHandler(
  permission: Permission,
  flows: readonly Flow<never>[],
  open: () => OperatorPorts,
) {
  let ports: OperatorPorts | undefined;
  return async (event: FunctionUrlEvent, context: Context): Promise<FunctionUrlAnswer> => {
    try {
      const by = callerOf(event);
      const request = new RequestReader(requestOf(event));
      ports ??= open();
      const leftMs = context.getRemainingTimeInMillis() - ANSWER_MS;
      const deadlineAtMs = ports.now() + leftMs;
      const requestId = context.awsRequestId;
      return answer(
        await operate(ports, flows, permission, request, { by, requestId, deadlineAtMs }),
      );
    } catch (error) {
      console.error(JSON.stringify({ message: 'request failed', error: String(error) }));
      return answerError(error);
    }
  };
}
