import { FlowDefinitionError, Problems } from './flow-definition-error.ts';
import type { Flow } from './types.ts';

/**
 * The same flow with time running `scale` times as fast: delays, `maxElapsed`, `maxRetryAfter` and the
 * ages replay asks for are divided, so that a local run shows in seconds what takes an hour. What
 * handlers and Lambda take is real and stays, and so do replay's rate and hourly budget. Tiers are named
 * by the scaled delay (`orders.wait.83ms`).
 *
 * No wait gets shorter than 1 ms. Delays that become equal share a wait queue; the number of
 * attempts stays.
 *
 * @throws {FlowDefinitionError} for a scale below 1 or that is no finite number
 */
export function scaleFlow<Payload>(flow: Flow<Payload>, scale: number): Flow<Payload> {
  if (!Number.isFinite(scale) || scale < 1) {
    const problems = new Problems();
    problems.add('scale', scale, 'expected a number from 1 up, such as 120, got {got}');
    throw new FlowDefinitionError(`flow '${flow.name}' with this time scale`, problems.list);
  }
  if (scale === 1) return flow;

  const faster = (ms: number) => Math.max(1, Math.round(ms / scale));
  const { schedule, replay } = flow;
  return Object.freeze({
    ...flow,
    schedule: Object.freeze({
      ...schedule,
      delaysMs: Object.freeze(schedule.delaysMs.map(faster)),
      maxElapsedMs: faster(schedule.maxElapsedMs),
      maxRetryAfterMs: faster(schedule.maxRetryAfterMs),
    }),
    replay: Object.freeze({
      ...replay,
      minAgeMs: replay.minAgeMs === 0 ? 0 : faster(replay.minAgeMs),
      maxAgeMs: faster(replay.maxAgeMs),
    }),
  });
}
