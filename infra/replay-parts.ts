/** The functions of replay: `layover-<environment>-replay-<part>`, from `functions/replay/lambdas/<part>.ts`. */
export const REPLAY_PARTS = ['schedule', 'view', 'bodies', 'run', 'configure'] as const;
export type ReplayPart = (typeof REPLAY_PARTS)[number];

/** Those people call. */
export type OperatorPart = Exclude<ReplayPart, 'schedule'>;
