import { Command } from 'commander';
import { bodyText, showText } from '../../operate/show-text.ts';
import { operating, type Target, withTarget } from '../../operate/target.ts';
import type { Operator } from '../../operator/operator.ts';
import { OperatorError, type OperatorErrorCode } from '../../operator/operator-error.ts';
import { print, printJson } from '../../output.ts';

interface ShowOptions extends Target {
  readonly body?: true;
}

const HELP = `
Without a flow every flow's parking queue is searched. Bodies take a permission of their own.

Examples:
  npm run -s layover -- show orders order-1-00219
  npm run -s layover -- show order-1-00219 --env prod --body`;

export function showCommand(): Command {
  const command = new Command('show')
    .description(
      'one parked message: why, where it has been, its headers; its body only on request',
    )
    .argument('<flow-or-messageId>', 'name of the flow, or the messageId alone')
    .argument('[messageId]', 'of the message')
    .option('--body', 'its body, too');
  return withTarget(command).addHelpText('after', HELP).action(run);
}

async function run(first: string, second: string | undefined, options: ShowOptions): Promise<void> {
  const messageId = second ?? first;
  const flow = second === undefined ? undefined : first;
  await operating(options, flow === undefined ? {} : { flow }, async (operator) => {
    const flows = flow === undefined ? operator.flows : [flow];
    const shown = await findIn(operator, flows, messageId);
    const body = options.body
      ? await operator.ask('body', { flow: shown.flow, messageId })
      : undefined;
    if (options.json) return printJson(body === undefined ? shown : { ...shown, body });
    print(showText(shown, operator.flags, body !== undefined));
    if (body !== undefined) print(`\n${bodyText(body)}`);
  });
}

/** No other flow would be answered either. */
function isOfTheWay(code: OperatorErrorCode | undefined): boolean {
  return code !== undefined && !OF_A_FLOW.includes(code);
}

const OF_A_FLOW: readonly OperatorErrorCode[] = [
  'MESSAGE_UNKNOWN',
  'FLOW_UNKNOWN',
  'LOCK_HELD',
  'FUNCTION_FAILED',
];

/** The first flow that has it. One that can't be looked at now keeps none of the others from it. */
async function findIn(operator: Operator, flows: readonly string[], messageId: string) {
  let trouble: unknown;
  for (const flow of flows) {
    try {
      return await operator.ask('show', { flow, messageId });
    } catch (error) {
      const code = error instanceof OperatorError ? error.code : undefined;
      if (flows.length === 1 || isOfTheWay(code)) throw error;
      if (code !== 'MESSAGE_UNKNOWN') trouble ??= error;
    }
  }
  if (trouble !== undefined) throw trouble;
  throw new OperatorError(
    'MESSAGE_UNKNOWN',
    `No message '${messageId}' is parked in any flow: ${flows.join(', ')}. Replayed or discarded? The audit of its flow lists ids.`,
  );
}
