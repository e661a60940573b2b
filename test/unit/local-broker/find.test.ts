import { describe, expect, it } from 'vitest';
import { ChoiceFailedError, NoBrokerError } from '../../../infra/local/broker/errors.ts';
import { findBroker } from '../../../infra/local/broker/find.ts';
import type { BrokerChoice, RunningBroker } from '../../../infra/local/broker/types.ts';

const BROKER: RunningBroker = {
  url: 'amqp://guest:geheim@127.0.0.1:5672',
  maskedUrl: 'amqp://guest:***@127.0.0.1:5672',
  version: 'RabbitMQ 4.3.6',
  source: 'path',
  openedPorts: [5672],
  stop: async () => {},
};

/** Choices that give a broker or fail with a reason, and a record of what was tried and printed. */
function setting(outcomes: Readonly<Record<string, RunningBroker | Error>>) {
  const tried: string[] = [];
  const lines: string[] = [];
  const choices = Object.fromEntries(
    Object.entries(outcomes).map(([name, outcome]): [string, BrokerChoice] => [
      name,
      async () => {
        tried.push(name);
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
    ]),
  );
  const find = (env: NodeJS.ProcessEnv = {}, signal?: AbortSignal) =>
    findBroker({ print: (line) => lines.push(line), env, signal }, choices);
  return { tried, lines, find };
}

const failed = (reason: string) => new ChoiceFailedError(reason);

describe('findBroker', () => {
  it('takes the first that works and tries no further', async () => {
    const { find, tried } = setting({ docker: BROKER, path: failed('not reached') });

    expect(await find()).toBe(BROKER);
    expect(tried).toEqual(['docker']);
  });

  it('falls through from one to the next and prints every reason and the choice', async () => {
    const { find, tried, lines } = setting({
      url: failed('refused'),
      docker: failed('no daemon'),
      path: BROKER,
      packages: failed('not reached'),
    });

    await find({ AMQP_URL: 'amqp://nowhere' });

    expect(tried).toEqual(['url', 'docker', 'path']);
    expect(lines).toEqual([
      'broker: trying AMQP_URL',
      'broker: AMQP_URL gives none: refused',
      'broker: trying docker',
      'broker: docker gives none: no daemon',
      'broker: trying path',
      'broker: RabbitMQ 4.3.6 at amqp://guest:***@127.0.0.1:5672 (path)',
    ]);
  });

  it('says nothing of an AMQP_URL nobody set', async () => {
    const { find, lines } = setting({ url: failed('AMQP_URL is not set'), docker: BROKER });

    await find();

    expect(lines.join('\n')).not.toContain('AMQP_URL');
  });

  it('never prints a password', async () => {
    const { find, lines } = setting({ url: BROKER });

    await find({ AMQP_URL: BROKER.url });

    expect(lines.join('\n')).not.toContain('geheim');
  });

  it('says why for each, and three ways out, when none works', async () => {
    const { find } = setting({ docker: failed('no daemon'), path: failed('not on the PATH') });

    const error = await find().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(NoBrokerError);
    const { message, code, reasons } = error as NoBrokerError;
    expect(code).toBe('NO_BROKER');
    expect([...reasons]).toEqual([
      ['docker', 'no daemon'],
      ['path', 'not on the PATH'],
    ]);
    for (const part of [
      'docker: no daemon',
      '1. point AMQP_URL',
      '2. start Docker',
      '3. install',
    ]) {
      expect(message).toContain(part);
    }
  });

  it('goes on after a mistake of our own too, and marks it', async () => {
    const { find, lines } = setting({ docker: new TypeError('x is undefined'), path: BROKER });

    await find();

    expect(lines).toContain('broker: docker gives none (unexpected): x is undefined');
  });

  it('allows only the one choice LAYOVER_BROKER names', async () => {
    const { find, tried } = setting({ docker: BROKER, path: failed('not on the PATH') });

    await expect(find({ LAYOVER_BROKER: 'path' })).rejects.toThrow('not on the PATH');
    expect(tried).toEqual(['path']);
  });

  it.each(['dockr', 'toString', '__proto__'])(
    'refuses LAYOVER_BROKER=%s, naming the values it takes',
    async (value) => {
      const { find } = setting({ docker: BROKER, path: BROKER });

      await expect(find({ LAYOVER_BROKER: value })).rejects.toThrow(
        `LAYOVER_BROKER must be one of docker, path, got '${value}'`,
      );
    },
  );

  it('stops at once when it is interrupted, without trying the next', async () => {
    const interruption = new AbortController();
    const tried: string[] = [];
    const choices = {
      docker: async () => {
        interruption.abort(new Error('Ctrl-C'));
        throw failed('interrupted');
      },
      path: async () => {
        tried.push('path');
        return BROKER;
      },
    };

    const finding = findBroker({ print: () => {}, env: {}, signal: interruption.signal }, choices);

    await expect(finding).rejects.toThrow('Ctrl-C');
    expect(tried).toEqual([]);
  });
});
