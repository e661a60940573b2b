import { describe, expect, it } from 'vitest';
import { describeFailure, UsageError } from '../../../../cli/exit.ts';
import { confirm, type Terminal } from '../../../../cli/operate/confirm.ts';

const PROD = { environment: 'prod', deployed: true };
const LOCAL = { environment: 'local', deployed: false };

function terminal(answer: string, isInteractive = true) {
  const asked: string[] = [];
  const io: Terminal = {
    isInteractive,
    ask: async (question) => {
      asked.push(question);
      return answer;
    },
  };
  return { asked, io };
}

describe('a confirmation', () => {
  it('is the name of the environment, and nothing else', async () => {
    const { asked, io } = terminal(' prod ');
    await confirm(PROD, 'Plan 1 replays 3 messages.', { yes: false }, io);
    expect(asked).toEqual(['Plan 1 replays 3 messages.\nType prod to go on: ']);

    for (const answer of ['', 'y', 'yes', 'dev', 'PROD']) {
      const failure = await confirm(PROD, 'x', { yes: false }, terminal(answer).io).catch(
        (error: unknown) => error,
      );
      expect(describeFailure(failure)).toMatchObject({ exitCode: 3 });
    }
  });

  it('is not asked for where nothing is deployed, unless it can’t be taken back', async () => {
    const { asked, io } = terminal('local');
    await confirm(LOCAL, 'x', { yes: false }, io);
    expect(asked).toHaveLength(0);
    await confirm(LOCAL, 'x', { yes: false, always: true }, io);
    expect(asked).toHaveLength(1);
  });

  it('may be given beforehand, and must be where nobody can be asked', async () => {
    const { asked, io } = terminal('prod', false);
    await confirm(PROD, 'x', { yes: true }, io);
    await expect(confirm(PROD, 'x', { yes: false }, io)).rejects.toThrow(UsageError);
    await expect(confirm(PROD, 'x', { yes: false }, io)).rejects.toThrow('add --yes');
    expect(asked).toHaveLength(0);
  });

  it('shows control characters in the question instead of obeying them', async () => {
    const { asked, io } = terminal('prod');
    await confirm(PROD, 'of \u001b[2Jorders\nsecond line', { yes: false }, io);
    expect(asked[0]).toContain('\\u001b[2Jorders\nsecond line');
  });
});
