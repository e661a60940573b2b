/** All guards of a replay. Each is a pure function in a file of its own. */
export { maxAge, minAge } from './guards/age.ts';
export { type AlarmState, alarms } from './guards/alarms.ts';
export { batch } from './guards/batch.ts';
export { failureClass } from './guards/failure-class.ts';
export { hourlyBudget } from './guards/hourly-budget.ts';
export { inProgress, type WorkState } from './guards/in-progress.ts';
export {
  killSwitch,
  type RunMode,
  SWITCH_STATES,
  type SwitchState,
  stricter,
} from './guards/kill-switch.ts';
export { lifetimeCap } from './guards/lifetime-cap.ts';
export { origin, type ParkedOrigin } from './guards/origin.ts';
export { allowedByRate, rate } from './guards/rate.ts';
export {
  restsUntilMs,
  type SignatureRecord,
  signatureBackoff,
} from './guards/signature-backoff.ts';
export { stillWanted } from './guards/still-wanted.ts';
export {
  GUARDS,
  type GuardAnswer,
  type GuardName,
  HOLDS,
  type Reading,
  read,
  reading,
  unreadable,
} from './guards/types.ts';
export { uncertain } from './guards/uncertain.ts';
export { workDepth } from './guards/work-depth.ts';
