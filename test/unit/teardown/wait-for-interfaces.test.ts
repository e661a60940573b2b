import { describe, expect, it } from 'vitest';
import {
  InterfacesRemainError,
  type NetworkInterface,
  waitForInterfaces,
} from '../../../functions/teardown/wait-for-interfaces.ts';

const eni: NetworkInterface = { id: 'eni-1', description: 'AWS Lambda VPC ENI-amq-1' };

/** A clock that only the pauses move, and a listing that gives each answer once. */
function world(answers: readonly (readonly NetworkInterface[])[], patienceMs: number) {
  let nowMs = 1_000_000;
  let looks = 0;
  return {
    options: {
      list: async () => answers[Math.min(looks++, answers.length - 1)] ?? [],
      pause: async (ms: number) => {
        nowMs += ms;
      },
      now: () => nowMs,
      deadlineAtMs: nowMs + patienceMs,
    },
    looks: () => looks,
    waitedMs: () => nowMs - 1_000_000,
  };
}

describe('waiting for the interfaces of deleted mappings', () => {
  it('takes no time when there is none', async () => {
    const { options, looks, waitedMs } = world([[]], 60_000);
    await waitForInterfaces(options);
    expect([looks(), waitedMs()]).toEqual([1, 0]);
  });

  it('looks again until they are gone', async () => {
    const { options, looks, waitedMs } = world([[eni], [eni], []], 600_000);
    await waitForInterfaces(options);
    expect([looks(), waitedMs()]).toEqual([3, 30_000]);
  });

  it('gives up before its time is over, naming what remains and what to do', async () => {
    const { options, waitedMs } = world([[eni]], 60_000);
    const error = await waitForInterfaces(options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InterfacesRemainError);
    expect(String(error)).toContain('eni-1 (AWS Lambda VPC ENI-amq-1)');
    expect(String(error)).toContain('Delete the stack again in half an hour');
    expect(waitedMs()).toBeLessThanOrEqual(60_000);
  });
});
