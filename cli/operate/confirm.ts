import { createInterface } from 'node:readline/promises';
import { UsageError } from '../exit.ts';
import type { Operator } from '../operator/operator.ts';
import { visible } from '../output.ts';

/** Somebody was asked and did not say yes. */
export class NotConfirmedError extends Error {
  override readonly name = 'NotConfirmedError';
  readonly code = 'NOT_CONFIRMED';
}

export interface Asking {
  /** The person said yes already. */
  readonly yes: boolean;
  /** Asks also where nothing is deployed: for what can't be taken back. @default false */
  readonly always?: boolean;
}

/** How a person is asked; a test brings its own. */
export interface Terminal {
  readonly isInteractive: boolean;
  ask(question: string): Promise<string>;
}

/**
 * Asks before anything moves or is removed in a deployed environment; its name is the answer, so that
 * nobody says yes to the wrong one.
 * @throws UsageError where nobody can be asked; NotConfirmedError for any other answer
 */
export async function confirm(
  operator: Pick<Operator, 'environment' | 'deployed'>,
  what: string,
  { yes, always = false }: Asking,
  terminal: Terminal = standardTerminal(),
): Promise<void> {
  if (yes || !(operator.deployed || always)) return;
  if (!terminal.isInteractive) {
    throw new UsageError(
      `${what}\nNothing was done: this must be confirmed and there is no terminal to ask on. To confirm it beforehand add --yes.`,
    );
  }
  const shown = what.split('\n').map(visible).join('\n');
  const answer = await terminal.ask(`${shown}\nType ${operator.environment} to go on: `);
  if (answer.trim() === operator.environment) return;
  throw new NotConfirmedError(
    `Not confirmed: '${visible(answer.trim())}' is not ${operator.environment}. Nothing was done.`,
  );
}

/** The question goes to stderr: stdout belongs to the result. */
function standardTerminal(): Terminal {
  return {
    isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    ask: async (question) => {
      const reader = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await reader.question(question);
      } finally {
        reader.close();
      }
    },
  };
}
