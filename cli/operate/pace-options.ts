import type { Command } from 'commander';
import type { Pace } from '../../functions/replay/types.ts';
import { UsageError } from '../exit.ts';

export interface PaceOptions {
  readonly rate?: string;
  /** False for `--no-ramp`; true when nothing was said. */
  readonly ramp: boolean;
}

/** Adds the options that say how fast a run goes. */
export function withPace(command: Command): Command {
  return command
    .option('--rate <rate>', 'messages per second at most: 50/s, or 600/min')
    .option('--no-ramp', 'all at once instead of 1, 10, 100, … with a look at the outcome between');
}

/** The pace as a request carries it; what was not said is left to the plan. @throws UsageError */
export function paceOf({ rate, ramp }: PaceOptions): Pace {
  return {
    ...(rate === undefined ? {} : { ratePerSecond: perSecond(rate) }),
    ...(ramp ? {} : { ramp: false }),
  };
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, m: 60, h: 3_600 };

function perSecond(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(?:\/(s|min|m|h))?$/.exec(text);
  const rate = Number(match?.[1]) / (UNIT_SECONDS[match?.[2] ?? 's'] ?? 1);
  if (match !== null && rate > 0) return rate;
  throw new UsageError(`--rate is '${text}'; give messages per second, such as 50/s or 600/min.`);
}
