import { Command, InvalidArgumentError, Option } from 'commander';
import { HAND_BACKS, type HandBack } from './hand-back.ts';

export interface LocalOptions {
  readonly messages: number;
  readonly seed: number;
  readonly speed: number;
  readonly flow: readonly string[];
  readonly handBack: HandBack;
  readonly kill: number;
  readonly poison: boolean;
  readonly replay: boolean;
  readonly keep: boolean;
  readonly json: boolean;
}

/** Options that commander leaves out when they are not given. */
type Absent = 'keep' | 'json' | 'flow';

/** Reads the command line; prints and exits by itself for `--help` and for anything unknown. */
export function parseOptions(argv: readonly string[]): LocalOptions {
  const command = new Command('npm start --')
    .description(
      'Runs the flows on this machine: a real RabbitMQ, the bundled Lambda handlers, a bad day.',
    )
    .option('--messages <number>', 'messages to publish in all', wholeNumber(0), 500)
    .option('--seed <number>', 'the same seed makes the same messages', wholeNumber(0), 1)
    .option('--speed <factor>', 'how many times faster than real the waits are', factor, 120)
    .option(
      '--flow <name>',
      'only this flow; may be repeated (default: all with a scenario)',
      collect,
    )
    .addOption(
      new Option('--hand-back <way>', 'how the poller gives back a failed batch')
        .choices(HAND_BACKS)
        .default('nack'),
    )
    .option('--kill <times>', 'kill the function in mid-run this often', wholeNumber(0), 0)
    .option('--no-poison', 'leave out the messages that kill the function')
    .option('--no-replay', 'leave out the schedule that replays by itself what may succeed now')
    .option('--keep', 'stay up afterwards, for developing a handler')
    .option('--json', 'the books as JSON in the last line of stdout')
    .allowExcessArguments(false);
  command.parse(argv, { from: 'user' });
  const given = command.opts<Omit<LocalOptions, Absent> & Partial<Pick<LocalOptions, Absent>>>();
  return { keep: false, json: false, flow: [], ...given };
}

function wholeNumber(low: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(value) && value >= low) return value;
    throw new InvalidArgumentError(`Expected a whole number of ${low} or more.`);
  };
}

/** The upper end keeps the shortest tier of the example flows above a few milliseconds. */
function factor(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 1 && value <= 1_000) return value;
  throw new InvalidArgumentError('Expected a number from 1 (real time) to 1000.');
}

function collect(name: string, names: readonly string[] = []): readonly string[] {
  return [...names, name];
}
