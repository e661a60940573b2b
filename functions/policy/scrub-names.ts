/** Values that stand behind a sensitive name, found in whatever notation an error message uses. */

/** `"name" : `, `name=`, `name =>`, `\"name\":`, `[name]: `, `<name>`, `(name, other)=(`. */
const SEPARATOR =
  /(?:\\{0,3}["'`])?[)\]]?(?:[^()\n=:]{0,80}\))?[ \t]{0,8}(?:=>|:=|==?|:|(?<=[\p{L}\p{N}])>)[ \t]{0,8}/uy;
/** A value without quotes: to a mark or the line's end… */
const BARE_VALUE = /[^\n\r,;&<>"'`{}[\]]*/y;
/** …and after `=` to a blank, unless groups of digits follow, as in a card number. */
const BARE_WORD = /[^\s,;&<>"'`{}[\]]*(?:[ -]\d{2,6}(?!\w))*/y;
const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')' };
const SQL_ENTRY = /(Duplicate entry )'((?:[^'\\]|\\.){0,512})'( for key '[^']{0,256}')/g;

/**
 * Replaces the values behind the names of `pattern` in `text` by `replacement`.
 *
 * A name is found in any case and spelling (`cardNumber`, `card_number`, `Card-Number`), also as the
 * end of a longer one (`db_password`), but not as its beginning (`passwordHash`). A quoted value goes to its
 * closing quote, a bracketed one to its bracket, any other to the next `,` `;` `&`, bracket, quote
 * or line end; after `=` a blank ends it too.
 */
export function scrubNamed(text: string, pattern: NamesPattern, replacement: string): string {
  if (pattern === undefined || !/[=:>]|Duplicate entry/.test(text)) return text;

  let clean = '';
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const nameEnd = match.index + match[0].length;
    if (match.index < from) continue;
    SEPARATOR.lastIndex = nameEnd;
    const separator = SEPARATOR.exec(text)?.[0];
    if (separator === undefined) continue;
    const start = nameEnd + separator.length;
    const range = valueRange(text, start, separator);
    if (range.end === range.start) continue;
    clean += text.slice(from, range.start) + replacement;
    from = range.end;
  }
  clean += text.slice(from);
  // MySQL names the key after the value.
  if (!clean.includes('Duplicate entry')) return clean;
  return clean.replace(SQL_ENTRY, (whole, before: string, _value: string, key: string) =>
    key.search(pattern) < 0 ? whole : `${before}'${replacement}'${key}`,
  );
}

/** A pattern that finds any of some names; `undefined` when there are none. */
export type NamesPattern = RegExp | undefined;

/**
 * Makes the pattern {@link scrubNamed} looks for. `cardNumber` → `card[ _-]?Number`: the spellings
 * one name has in code, SQL, JSON and headers. Blank names are passed over.
 */
export function namesPattern(names: readonly string[]): NamesPattern {
  const sources = names
    .filter((name) => typeof name === 'string')
    .map((name) =>
      name
        .trim()
        .replace(/([a-z\d])([A-Z])/g, '$1_$2')
        .split(/[\s_-]+/)
        .filter((word) => word !== '')
        .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
        .join('[ _-]?'),
    )
    .filter((source) => source !== '');
  if (sources.length === 0) return undefined;
  // Any character beyond ASCII counts as a letter here, which is far faster than to know better.
  return new RegExp(`(?:${sources.join('|')})(?![A-Za-z0-9_\\u00aa-\\uffff])`, 'gi');
}

function valueRange(
  text: string,
  start: number,
  separator: string,
): { start: number; end: number } {
  const opening = /^\\{0,3}["'`]/.exec(text.slice(start, start + 4))?.[0];
  if (opening !== undefined) {
    const inside = start + opening.length;
    return { start: inside, end: closingQuote(text, inside, opening) };
  }
  const bracket = text[start] ?? '';
  const closing = CLOSING[bracket];
  if (closing !== undefined) {
    return { start: start + 1, end: closingBracket(text, start, bracket, closing) };
  }
  const bare = separator.includes('=') && !separator.includes('=>') ? BARE_WORD : BARE_VALUE;
  bare.lastIndex = start;
  return { start, end: start + (bare.exec(text)?.[0].trimEnd().length ?? 0) };
}

/** The bracket that closes the one at `from`, counting those of the same kind in between. */
function closingBracket(text: string, from: number, opening: string, closing: string): number {
  let open = 0;
  for (let index = from; index < text.length; index += 1) {
    if (text[index] === opening) open += 1;
    else if (text[index] === closing) open -= 1;
    if (open === 0) return index;
  }
  return text.length;
}

/** The next quote of the same kind that isn't escaped; a value cut short ends with the text. */
function closingQuote(text: string, from: number, opening: string): number {
  if (opening.length > 1) {
    const end = text.indexOf(opening, from);
    return end < 0 ? text.length : end;
  }
  for (let index = from; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === opening) return index;
  }
  return text.length;
}
