import { describe, expect, it } from 'vitest';
import type { Review } from '../../../../cli/review/review.ts';
import { runLayover } from '../run-layover.ts';

describe('explain --review', () => {
  it('answers in blocks that fit a terminal, with what is to decide marked', async () => {
    const { code, stdout, stderr } = await runLayover('explain', 'notifications', '--review');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Review of notifications {2}\(team-engagement\)$/m);
    expect(stdout).toMatch(/^What is retried\?\n {2}- Retried: transient \(7 times\)/m);
    expect(stdout).toMatch(/^ {2}! Of a discarded message \(stale\)/m);
    const marked = stdout.match(/^ {2}! /gm)?.length ?? 0;
    expect(stdout).toContain(`${marked} lines marked with ! are for you to decide.`);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(96);
  });

  it('--json gives the same with its figures on one line', async () => {
    const { code, stdout } = await runLayover('explain', 'orders', '--review', '--json');
    expect(code).toBe(0);
    expect(stdout.trimEnd()).not.toContain('\n');
    const { flow, topics } = JSON.parse(stdout) as Review;
    expect(flow).toBe('orders');
    const long = topics.find(({ id }) => id === 'how-long');
    expect(long?.facts).toMatchObject({ totalWaitMs: 2_170_000, handlerTimeoutMs: 5_000 });
  });

  it('refuses a flow there is none of, naming those there are', async () => {
    const { code, stderr } = await runLayover('explain', 'ordres', '--review');
    expect(code).toBe(2);
    expect(stderr).toContain('orders');
  });
});
