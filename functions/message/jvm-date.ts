const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

// `\s` covers U+202F and U+00A0. JDK 8 has no comma after the year, later ones have.
const JVM_DATE = /^([A-Z][a-z]{2})\s(\d{1,2}),\s(\d{1,6}),?\s(\d{1,2}):(\d{2}):(\d{2})\s(AM|PM)$/;

/**
 * Reads a date the way a JVM writes it in US English (`Jul 2, 2023, 1:30:34 AM`), which is how the
 * event gives timestamps. It is UTC whatever `TZ` says; `Date.parse` would take it for local time.
 *
 * @returns whole seconds since 1970, or undefined when the text is anything else or before 1970
 * (AMQP timestamps are unsigned).
 */
export function parseJvmDate(text: string): number | undefined {
  // Messages of a batch were often sent in the same second.
  if (text !== last.text) last = { text, seconds: parse(text) };
  return last.seconds;
}

let last: { readonly text: string; readonly seconds: number | undefined } = {
  text: '',
  seconds: undefined,
};

function parse(text: string): number | undefined {
  const match = JVM_DATE.exec(text);
  if (match === null) return undefined;
  const [, monthName = '', dayText, yearText, hourText, minuteText, secondText, half] = match;
  const month = MONTHS.indexOf(monthName);
  const day = Number(dayText);
  const year = Number(yearText);
  const hour = Number(hourText);
  const minute = Number(minuteText);
  const second = Number(secondText);
  if (month < 0 || year < 1970 || hour < 1 || hour > 12 || minute > 59 || second > 59) {
    return undefined;
  }
  const hourOfDay = (hour % 12) + (half === 'PM' ? 12 : 0);
  const date = new Date(Date.UTC(year, month, day, hourOfDay, minute, second));
  // Feb 30 would have rolled over to March; a year past 275760 has no time value at all.
  if (date.getUTCDate() !== day || date.getUTCMonth() !== month) return undefined;
  return date.getTime() / 1000;
}
