import { describe, expect, it } from 'vitest';
import { runCommand } from '../../../infra/local/broker/run-command.ts';

const node = (script: string, options: Partial<Parameters<typeof runCommand>[2]> = {}) =>
  runCommand(process.execPath, ['-e', script], { timeoutMs: 20_000, ...options });

describe('runCommand', () => {
  it('gives what was printed, and a failing exit as a result', async () => {
    const result = await node('console.log("out"); console.error("err"); process.exitCode = 3');

    expect(result).toEqual({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
  });

  it('keeps the end of what is too long', async () => {
    const { stdout } = await node('console.log("x".repeat(400_000)); console.log("end")');

    expect(stdout.length).toBe(256 * 1024);
    expect(stdout.endsWith('end\n')).toBe(true);
  });

  it('ends a command that takes too long', async () => {
    const running = node('setInterval(() => {}, 1000)', { timeoutMs: 300 });

    await expect(running).rejects.toThrow('did not end within 0.3 s');
  });

  it('ends a command when it is interrupted', async () => {
    const running = node('setInterval(() => {}, 1000)', { signal: AbortSignal.timeout(200) });

    await expect(running).rejects.toThrow('was interrupted');
  });

  it('throws when there is no such command', async () => {
    const running = runCommand('no-such-command-here', [], { timeoutMs: 1_000 });

    await expect(running).rejects.toThrow('ENOENT');
  });

  it('has no stdin that could make a command wait for an answer', async () => {
    const { stdout } = await node('process.stdin.on("end", () => console.log("eof")).resume()');

    expect(stdout).toBe('eof\n');
  });
});
