import { Command } from 'commander';
import { CONSUMER_RULES } from '../../functions/consumer/consumer-rules.ts';
import { classify } from '../../functions/policy/classify.ts';
import { formatDuration } from '../../functions/policy/duration.ts';
import { decide } from '../../functions/policy/verdict.ts';
import { UsageError } from '../exit.ts';
import { flowNamed } from '../flows.ts';
import { readJson } from '../json-file.ts';
import { print, printJson, textTable } from '../output.ts';

interface Options {
  readonly flow: string;
  readonly error: string;
  readonly attempt: string;
  readonly json?: true;
}

const HELP = `
With --json one line; "delayMs" is null unless the verdict is retry:
  {"class":"transient","rule":"network.reset","verdict":"retry","delayMs":10000,"signature":"…"}

Example:
  echo '{"name":"Error","code":"ECONNRESET"}' | npm run -s layover -- classify --flow orders --error -`;

export function classifyCommand(): Command {
  return new Command('classify')
    .description('what would happen to a message whose handler threw this error')
    .requiredOption('--flow <flow>', 'the flow whose rules and schedule apply')
    .requiredOption(
      '--error <file>',
      'the error as JSON (name, message, code, status, cause, …); - for stdin',
    )
    .option('--attempt <n>', 'which handler run threw it', '1')
    .option('--json', 'one line of JSON')
    .addHelpText('after', HELP)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const { flow } = await flowNamed(options.flow);
  const attempt = attemptOf(options.attempt);
  const thrown = withMessage(await readJson(options.error));
  const now = new Date();
  const failure = classify(thrown, {
    // As the consumer does: the flow's own first.
    rules: [...flow.rules, ...CONSUMER_RULES],
    sensitive: flow.sensitive,
    now,
  });
  // The first lane: jitter only lengthens, and a preview should say the same each time.
  const verdict = decide(failure, { retryCount: attempt - 1 }, flow, now, () => 0);
  const result = {
    class: failure.class,
    rule: failure.rule,
    verdict: verdict.kind,
    delayMs: verdict.kind === 'retry' ? verdict.delayMs : null,
    signature: failure.signature,
    ...(verdict.kind === 'retry' && verdict.notBefore ? { notBefore: verdict.notBefore } : {}),
    ...(verdict.kind === 'park' ? { why: verdict.why } : {}),
  };
  if (options.json) return printJson(result);
  const waits = verdict.kind === 'retry' ? ` after ${formatDuration(verdict.delayMs)}` : '';
  const rows = [
    ['class', failure.class],
    ['rule', failure.rule],
    ['verdict', `${verdict.kind}${waits}`],
    ...('why' in result ? [['why', result.why]] : []),
    ['signature', failure.signature],
    ['reads as', `${failure.name}: ${failure.message}`],
  ];
  print(textTable([], rows));
}

/** Every error has a message; a description that leaves it out means an empty one. */
function withMessage(described: unknown): unknown {
  const isObject = typeof described === 'object' && described !== null;
  return isObject && !Array.isArray(described) ? { message: '', ...described } : described;
}

function attemptOf(text: string): number {
  const attempt = Number(text);
  if (Number.isSafeInteger(attempt) && attempt >= 1) return attempt;
  throw new UsageError(`--attempt is '${text}'; give a whole number from 1 on.`);
}
