/** HTTP dates, read strictly: `Date.parse` makes a year of '-5' and of '120'. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const ZONE = '(?:GMT|UTC|Z|[+-]0000)';

/** Sun, 06 Nov 1994 08:49:37 GMT */
const IMF_FIXDATE = new RegExp(
  `^[a-z]{3}, (\\d{1,2}) ([a-z]{3}) (\\d{4}) (\\d\\d):(\\d\\d):(\\d\\d) ${ZONE}$`,
  'i',
);
/** Sunday, 06-Nov-94 08:49:37 GMT; four-digit years are met as well. */
const RFC_850 = new RegExp(
  `^[a-z]{3,9}, (\\d\\d)-([a-z]{3})-(\\d\\d|\\d{4}) (\\d\\d):(\\d\\d):(\\d\\d) ${ZONE}$`,
  'i',
);
/** Sun Nov  6 08:49:37 1994 */
const ASCTIME = /^[a-z]{3} ([a-z]{3}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})$/i;
/** 1994-11-06T08:49:37Z; a zone is required, since without one the time is anybody's guess. */
const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * The time an HTTP date (RFC 9110, 5.6.7, all three forms) or an ISO 8601 text stands for.
 *
 * @param now only decides the century of a two-digit year: the nearest that isn't over 50 years ahead
 * @returns epoch milliseconds, or `undefined` when the text is no such date
 */
export function httpDateMs(text: string, now: Date): number | undefined {
  if (Number.isNaN(now.getTime())) return undefined;
  const fixed = IMF_FIXDATE.exec(text) ?? RFC_850.exec(text);
  if (fixed) {
    const [, day, month, year, ...clock] = fixed;
    return utcMs(fullYear(year ?? '', now), month, day, clock);
  }
  const asctime = ASCTIME.exec(text);
  if (asctime) {
    const [, month, day, hour, minute, second, year] = asctime;
    return utcMs(Number(year), month, day, [hour, minute, second]);
  }
  if (!ISO_8601.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

function utcMs(
  year: number,
  monthName: string | undefined,
  day: string | undefined,
  [hour, minute, second]: readonly (string | undefined)[],
): number | undefined {
  const month = MONTHS.indexOf((monthName ?? '').toLowerCase());
  const clock = [Number(hour), Number(minute), Number(second)] as const;
  // 60 is a leap second.
  if (month < 0 || clock[0] > 23 || clock[1] > 59 || clock[2] > 60) return undefined;
  const midnight = new Date(Date.UTC(year, month, Number(day)));
  // The 31st of February rolls over into another month.
  if (midnight.getUTCDate() !== Number(day)) return undefined;
  return midnight.getTime() + ((clock[0] * 60 + clock[1]) * 60 + clock[2]) * 1_000;
}

function fullYear(text: string, now: Date): number {
  if (text.length === 4) return Number(text);
  const thisYear = now.getUTCFullYear();
  const year = Math.floor(thisYear / 100) * 100 + Number(text);
  return year > thisYear + 50 ? year - 100 : year;
}
