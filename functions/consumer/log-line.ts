import type { Logger } from '@aws-lambda-powertools/logger';
import { isoText } from '../message/iso-text.ts';

/** Powertools' thresholds. */
const LEVELS = { DEBUG: 8, INFO: 12, WARN: 16, ERROR: 20 } as const;
export type LineLevel = keyof typeof LEVELS;

/** Whether the logger, whose level the environment sets, would print a line of this level. */
export function logs(logger: Logger, level: LineLevel): boolean {
  return logger.level <= LEVELS[level];
}

/**
 * Prints a line as the logger would: same level, same keys. A batch of failures writes thousands of
 * these while confirms are coming in, and the logger's own formatting takes three times as long.
 */
export function logLine(
  logger: Logger,
  level: LineLevel,
  message: string,
  fields: Readonly<Record<string, unknown>>,
): void {
  if (!logs(logger, level)) return;
  printLine({
    level,
    message,
    timestamp: isoText(Date.now()),
    service: 'layover',
    ...logger.getPersistentLogAttributes(),
    ...fields,
  });
}

/**
 * One line of JSON on stdout. Not by `console`, which Lambda's runtime puts a prefix in front of, so
 * that CloudWatch would not know an embedded metric as one. The lines of one turn of the event loop are
 * written together; {@link flushLines} writes at once.
 */
export function printLine(value: object | string): void {
  if (pending.length === 0) setImmediate(flushLines);
  pending.push(typeof value === 'string' ? value : jsonOf(value));
}

/** To be called before an invocation ends: what was settled must have been said. */
export function flushLines(): void {
  if (pending.length === 0) return;
  const text = pending.join('\n');
  pending = [];
  process.stdout.write(`${text}\n`);
}

let pending: string[] = [];

/** Without a replacer where that will do: it would make every line take twice as long. */
function jsonOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, bigintAsText);
  }
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
