import { describe, expect, it } from 'vitest';
import { CommandFailedError, describeFailure, UsageError } from '../../../cli/exit.ts';
import { OperatorError } from '../../../cli/operator/operator-error.ts';
import { BundleError } from '../../../infra/bundle.ts';
import { runLayover } from './run-layover.ts';

describe('describeFailure', () => {
  it('is 2 with the message alone when the command was called wrongly', () => {
    expect(describeFailure(new UsageError('--attempt is x'))).toEqual({
      text: '--attempt is x',
      exitCode: 2,
    });
  });

  it('is 1 with the message alone for what is no fault of the program', () => {
    const text = 'No broker is up.';
    expect(describeFailure(new CommandFailedError(text))).toEqual({ text, exitCode: 1 });
    expect(describeFailure(new BundleError(text))).toEqual({ text, exitCode: 1 });
  });

  it('is 1 with a stack for a fault of the program, those with a code of Node’s included', () => {
    const fault = new TypeError('x is not a function');
    expect(describeFailure(fault)).toEqual({ text: fault.stack, exitCode: 1 });
    const coded = Object.assign(new RangeError('out of range'), { code: 'ERR_OUT_OF_RANGE' });
    expect(describeFailure(coded).text).toContain('exit.test.ts');
  });

  it('is 1 with some text for anything else that is thrown', () => {
    expect(describeFailure('enough')).toEqual({ text: 'enough', exitCode: 1 });
    expect(describeFailure(undefined)).toEqual({ text: 'undefined', exitCode: 1 });
  });

  it.each([
    ['PLAN_EXPIRED', 3],
    ['NO_PERMISSION', 4],
    ['LOCK_HELD', 5],
    ['FLOW_UNKNOWN', 2],
    ['NETWORK', 1],
  ] as const)('is a code of its own for %s: %d', (code, exitCode) => {
    expect(describeFailure(new OperatorError(code, 'no'))).toEqual({ text: 'no', exitCode });
  });

  it('keeps the stack of an error that has a code and no message', () => {
    const mute = Object.assign(new Error('x'), { code: 'ECONNREFUSED', message: '' });
    expect(describeFailure(mute).text).toBe(mute.stack);
  });
});

describe('layover', () => {
  it('is called rightly when asked for help, which goes to stdout with the exit codes', async () => {
    const { code, stdout, stderr } = await runLayover('--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Exit codes: 0 done, 1 failed, 2 called wrongly.');
  });

  it.each([
    ['no command', []],
    ['a command there is none of', ['expalin']],
    ['an option there is none of', ['topology', '--jason']],
    ['a missing argument', ['explain']],
    ['a missing option', ['classify', '--flow', 'orders']],
  ])('is called wrongly with %s', async (_what, argv) => {
    const { code, stdout, stderr } = await runLayover(...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
  });

  it('suggests the command that was meant', async () => {
    const { stderr } = await runLayover('expalin');
    expect(stderr).toContain('Did you mean explain?');
  });

  it.each([
    ...['classify', 'topology', 'invoke', 'send', 'new', 'status', 'parked', 'show', 'plan', 'run'],
    ...['discard', 'watch', 'cancel', 'audit', 'pause', 'resume', 'replay'],
  ])('has an example in the help of %s', async (command) => {
    const { code, stdout } = await runLayover(command, '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples?:\\n.*npm run -s layover -- ${command} `, 's'));
  });

  it.each(['explain', 'invoke', 'send'])('%s refuses a flow there is none of', async (command) => {
    const rest = { explain: [], invoke: ['--event', 'e.json'], send: ['b.json'] }[command] ?? [];
    const { code, stderr } = await runLayover(command, 'ordres', ...rest);
    expect(code).toBe(2);
    expect(stderr).toContain("There is no flow 'ordres' in functions/flows. There are:");
    expect(stderr).toContain('orders');
  });
});
