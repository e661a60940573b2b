import type { Context } from 'aws-lambda';
import type { Flow } from '../policy/types.ts';
import { type TickPorts, tick } from './tick.ts';

export interface ScheduleOptions {
  readonly observe: boolean;
  /** Layover's own alarms that must be quiet, by flow. */
  readonly ownAlarms: Readonly<Record<string, readonly string[]>>;
}

/** Some flow's look failed; the others were looked at. */
export class ScheduleError extends AggregateError {
  override readonly name = 'ScheduleError';
  readonly code = 'SCHEDULE';
}

const RETURN_MS = 5_000;

/**
 * Makes the Lambda EventBridge Scheduler calls. Looks at every flow at the same time, since each has its
 * own queue and its own lock; one that fails keeps none of the others from being looked at.
 *
 * @throws ScheduleError at the end, so that the failure is counted where functions' failures are
 */
export function scheduleHandler(
  flows: readonly Flow<never>[],
  open: () => { readonly ports: TickPorts; readonly options: ScheduleOptions },
) {
  let opened: ReturnType<typeof open> | undefined;
  return async (_event: unknown, context: Context): Promise<void> => {
    opened ??= open();
    const { ports, options } = opened;
    const deadlineAtMs = ports.now() + context.getRemainingTimeInMillis() - RETURN_MS;
    const ends = await Promise.allSettled(
      flows.map((flow) =>
        tick(ports, flow, {
          worker: `${context.awsRequestId}/${flow.name}`,
          deadlineAtMs,
          observe: options.observe,
          ownAlarms: options.ownAlarms[flow.name] ?? [],
        }),
      ),
    );
    const failed = ends.flatMap((end, n) =>
      end.status === 'rejected' ? [{ flow: flows[n]?.name ?? '', reason: end.reason }] : [],
    );
    if (failed.length === 0) return;
    const names = failed.map(({ flow, reason }) => `${flow}: ${reason}`).join('; ');
    throw new ScheduleError(
      failed.map(({ reason }) => reason),
      `The schedule failed for ${names}`,
    );
  };
}
