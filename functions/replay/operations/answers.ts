import type { RunEnd } from '../execute.ts';
import type { AuditLine } from '../store/audit.ts';
import type { Plan } from '../types.ts';
import type { pause, setSwitch } from './configure.ts';
import type { body, parked, show } from './look.ts';
import type { cancel } from './run.ts';
import type { FlowStatus } from './status.ts';
import type { WatchedRun } from './watch.ts';

/** What each operation answers. Over the wire: as `Wire` of it. */
export interface Answers {
  status: readonly FlowStatus[];
  parked: Awaited<ReturnType<typeof parked>>;
  show: Awaited<ReturnType<typeof show>>;
  body: Awaited<ReturnType<typeof body>>;
  watch: WatchedRun;
  audit: readonly AuditLine[];
  plan: Plan;
  run: RunEnd;
  continue: RunEnd;
  cancel: Awaited<ReturnType<typeof cancel>>;
  switch: Awaited<ReturnType<typeof setSwitch>>;
  pause: Awaited<ReturnType<typeof pause>>;
  resume: Awaited<ReturnType<typeof pause>>;
}

/** A value as it is after JSON: times are texts, so are integers beyond what JSON's numbers hold. */
export type Wire<T> = T extends Date | bigint
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: Wire<T[K]> }
      : T;
