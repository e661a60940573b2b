/**
 * `npm run chaos -- --seed 3 --messages 2000 [--json]`: one mixed load with every kind of fault on a real
 * broker. Exit code 0 only if every promise of docs/guarantees.md was kept.
 */
import { parseArgs } from 'node:util';
import { findBroker } from '../../infra/local/broker/find.ts';
import { FEWEST_MESSAGES } from './harness/load-plan.ts';
import { runMixedLoad } from './harness/mixed-load.ts';
import { describe, problemsOf, reportOf } from './harness/report.ts';

const HELP = `npm run chaos -- [options]

  --seed <number>      chooses faults and their order (default 1)
  --messages <number>  how many, from ${FEWEST_MESSAGES} up (default 500)
  --broker <url>       an AMQP URL; default AMQP_URL, else whatever broker is found
  --json               the result as JSON, on the last line of stdout
  --verbose            what functions and pollers said, on stderr`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    messages: { type: 'string', default: '500' },
    broker: { type: 'string' },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(HELP);
} else {
  process.exitCode = await main();
}

async function main(): Promise<number> {
  const seed = wholeNumber('--seed', values.seed, 0);
  const messages = wholeNumber('--messages', values.messages, FEWEST_MESSAGES);
  const print = (line: string) => console.error(line);
  const env = values.broker ? { ...process.env, AMQP_URL: values.broker } : process.env;
  const broker = await findBroker({ print, env });
  try {
    const { url: brokerUrl, managementUrl } = broker;
    const result = await runMixedLoad({
      brokerUrl,
      managementUrl,
      seed,
      messages,
      onProgress: print,
    });
    const problems = problemsOf(result);
    if (values.verbose) for (const line of result.lines) print(line);
    for (const problem of problems) print(`PROBLEM  ${problem}`);
    if (values.json) console.log(JSON.stringify(reportOf(result, broker.version)));
    else console.log(describe(result, broker.version));
    return problems.length === 0 ? 0 : 1;
  } finally {
    await broker.stop();
  }
}

function wholeNumber(option: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  console.error(`${option} is '${text}'; give a whole number from ${least} up.`);
  process.exit(2);
}
