import type { Command } from 'commander';
import { parseDuration } from '../../functions/policy/duration.ts';
import { FAILURE_CLASSES } from '../../functions/policy/types.ts';
import type { Wire } from '../../functions/replay/operations/answers.ts';
import type { ReplayFilter } from '../../functions/replay/types.ts';
import { UsageError } from '../exit.ts';

export interface FilterOptions {
  readonly class?: readonly string[];
  readonly signature?: readonly string[];
  readonly rule?: readonly string[];
  readonly id?: readonly string[];
  readonly label?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly limit?: string;
}

/** Adds the options that say which parked messages are meant. */
export function withFilter(command: Command): Command {
  return command
    .option('--class <class>', 'of this failure class; may be repeated', collect)
    .option('--signature <signature>', 'of this signature; may be repeated', collect)
    .option('--rule <rule>', 'classified by this rule; may be repeated', collect)
    .option('--id <messageId>', 'this message; may be repeated', collect)
    .option('--label <name=value>', 'with this label; all given must match', collect)
    .option('--since <when>', 'parked at or after: a time, or 2h for two hours ago')
    .option('--until <when>', 'parked before: a time, or 15m for a quarter of an hour ago')
    .option('--limit <n>', 'so many at most, oldest in the queue first');
}

function collect(value: string, soFar: readonly string[] = []): readonly string[] {
  return [...soFar, value];
}

/** The filter as a request carries it. @throws UsageError */
export function filterOf(options: FilterOptions, nowMs: number): Wire<ReplayFilter> {
  const { class: classes, signature, rule, id, label, since, until, limit } = options;
  return {
    ...(classes === undefined ? {} : { classes: classes.map(classOf) }),
    ...(signature === undefined ? {} : { signatures: signature }),
    ...(rule === undefined ? {} : { rules: rule }),
    ...(id === undefined ? {} : { messageIds: id }),
    ...(label === undefined ? {} : { labels: Object.fromEntries(label.map(pairOf)) }),
    ...(since === undefined ? {} : { parkedAfter: momentOf('--since', since, nowMs) }),
    ...(until === undefined ? {} : { parkedBefore: momentOf('--until', until, nowMs) }),
    ...(limit === undefined ? {} : { limit: wholeNumber('--limit', limit) }),
  };
}

function classOf(name: string): string {
  if (FAILURE_CLASSES.some((known) => known === name)) return name;
  throw new UsageError(`--class is '${name}'; there are: ${FAILURE_CLASSES.join(', ')}.`);
}

/** The same filter as options on a command line: to make a plan again, exactly. */
export function filterFlags(filter: Wire<ReplayFilter>): string {
  const each = (flag: string, values: readonly string[] = []) =>
    values.map((value) => ` ${flag} ${quoted(value)}`).join('');
  const { labels = {}, parkedAfter, parkedBefore, limit } = filter;
  return [
    each('--class', filter.classes),
    each('--signature', filter.signatures),
    each('--rule', filter.rules),
    each('--id', filter.messageIds),
    each(
      '--label',
      Object.entries(labels).map(([name, value]) => `${name}=${value}`),
    ),
    each('--since', parkedAfter === undefined ? [] : [parkedAfter]),
    each('--until', parkedBefore === undefined ? [] : [parkedBefore]),
    limit === undefined ? '' : ` --limit ${limit}`,
  ].join('');
}

/** A time as JSON has it, or a duration back from now. @throws UsageError */
export function momentOf(flag: string, text: string, nowMs: number): string {
  if (/^\d+(ms|s|m|h|d)$/.test(text)) return new Date(nowMs - parseDuration(text)).toISOString();
  const looksLikeTime = /^\d{4}-\d{2}-\d{2}/.test(text);
  const parsed = new Date(text);
  if (looksLikeTime && !Number.isNaN(parsed.getTime())) return parsed.toISOString();
  throw new UsageError(
    `${flag} is '${text}'; give a time such as 2026-01-31T12:00:00Z, or how long ago: 30m, 2h, 1d.`,
  );
}

/** @throws UsageError */
export function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new UsageError(`${flag} is '${text}'; give a whole number from 1 on.`);
}

function pairOf(text: string): [string, string] {
  const split = text.indexOf('=');
  if (split > 0) return [text.slice(0, split), text.slice(split + 1)];
  throw new UsageError(`--label is '${text}'; write --label name=value.`);
}

/** For a POSIX shell, whatever a stranger's label holds. */
export function quoted(text: string): string {
  return /^[\w.:/@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
