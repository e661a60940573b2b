/**
 * Text that is about to be stored or logged, without what must not be. Every pattern is linear in
 * the length of the text: no nested quantifiers, and runs start only at word boundaries.
 */
import { type NamesPattern, namesPattern, scrubNamed } from './scrub-names.ts';

/** What stands for a removed secret. */
export const SCRUBBED = '***';
/** Beyond this nothing can reach the first KiB, unless it is one giant secret. */
const MAX_INPUT = 65_536;
const MAX_BYTES = 1_024;

/** Names whose values are removed whatever the flow says. */
const ALWAYS_SENSITIVE = [
  'password',
  'passwd',
  'pwd',
  'passphrase',
  'secret',
  'secretAccessKey',
  'clientSecret',
  'apiKey',
  'privateKey',
  'accessToken',
  'refreshToken',
  'idToken',
  'authToken',
  'sessionToken',
  'securityToken',
  'csrfToken',
  'X-Amz-Signature',
  'X-Amz-Credential',
];

/** ANSI colours, control characters but for line ends, and format characters (direction marks). */
const INVISIBLE = /(?![\n\r\t])\p{Cc}\[[0-9;?]{0,32}[A-Za-z]|[[\p{Cc}\p{Cf}]--[\n\r\t]]/gv;

/** Most texts are plain ASCII and can skip that. */
const NOT_PLAIN = /[^ -~\n\r\t]/;

/** Secrets recognised by their own look: AWS keys, JWTs, GitHub, Slack, Stripe, Google, npm, OpenAI. */
const TOKENS = new RegExp(
  [
    '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}',
    '(?<![_-])eyJ[A-Za-z0-9_-]{5,}\\.[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]*){0,3}',
    '(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}',
    'xox[a-z]-[A-Za-z0-9-]{10,}',
    '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{8,}',
    'whsec_[A-Za-z0-9+/=]{8,}',
    'AIza[A-Za-z0-9_-]{30,}',
    'npm_[A-Za-z0-9]{30,}',
    'sk-[A-Za-z0-9_-]{16,}',
  ]
    .map((token) => `(?<![A-Za-z0-9])${token}`)
    .join('|'),
  'g',
);

const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g;
/** User and password of a URL; a password may hold a `/` that nobody encoded. */
const URL_CREDENTIALS =
  /:\/\/(?:[^\s/?#"'<>@]*(?:@[^\s/?#"'<>@]*)*@|[^\s/:@"'<>]{1,128}:[^\s@"'<>]{1,256}@)/g;
/** Header lines: the whole value goes, since schemes and cookies have blanks in them. */
const SECRET_HEADER =
  /((?:proxy-)?authorization|(?:set-)?cookie)(\\?["']?[ \t]*(?:[:=]|=>|,)[ \t]*)(\[?[ \t]*)(\\?["'])?/gi;
const SCHEME = /(?<![A-Za-z0-9])(bearer|basic|digest|negotiate)([ \t]+)([A-Za-z0-9._~+/=-]{3,})/gi;
/** Words that follow "bearer" in prose. */
const BEARER_PROSE =
  /^(?:tokens?|auth|authentication|authorization|scheme|realm|error|is|not|has|was|required|expired|invalid|missing)[.,]?$/i;
/** Parameters of signed links and of logins, whose names are too common to look for elsewhere. */
const QUERY_SECRET = /([?&](?:token|key|sig|signature|code|auth|otp|session|sid)=)[^\s&"'<>]+/gi;
const EMAIL = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;

/**
 * Cleans a message for headers and logs: control characters out, secrets and e-mail addresses
 * replaced, one line, at most `maxBytes` (1 KiB) of UTF-8, cut between code points.
 *
 * Removed are credentials in URLs, authorization and cookie values, bearer and basic tokens, keys
 * and tokens known by their look, and the values of well-known and of the flow's `sensitive` names,
 * in whatever spelling (`cardNumber`, `card_number`) and notation (`=`, `:`, JSON, XML, SQL detail).
 * When in doubt more is removed, not less. Total, and linear in the length of the text.
 */
export function scrub(
  text: string,
  sensitive: readonly string[],
  maxBytes: number = MAX_BYTES,
): string {
  const cut = text.length > MAX_INPUT;
  // Invisible characters go first: one inside a word would hide it from the patterns.
  let clean = (cut ? text.slice(0, MAX_INPUT) : text).toWellFormed();
  if (NOT_PLAIN.test(clean)) clean = clean.replace(INVISIBLE, '');
  if (clean.includes('-----BEGIN')) clean = clean.replace(PRIVATE_KEY, SCRUBBED);
  clean = scrubHeaders(clean);
  if (clean.includes('://')) clean = clean.replace(URL_CREDENTIALS, `://${SCRUBBED}@`);
  clean = scrubNamed(clean, patternOf(sensitive), SCRUBBED);
  clean = clean.replace(SCHEME, (whole, scheme: string, gap: string, token: string) =>
    isProse(scheme, token) ? whole : `${scheme}${gap}${SCRUBBED}`,
  );
  if (clean.includes('=')) clean = clean.replace(QUERY_SECRET, `$1${SCRUBBED}`);
  clean = clean.replace(TOKENS, SCRUBBED);
  if (clean.includes('@')) clean = clean.replace(EMAIL, SCRUBBED);
  clean = clean.replace(/\s+/g, ' ').trim();
  // The last word of a cut text may be half a secret; it only matters when it could be kept.
  if (cut && clean.length < 2 * maxBytes && !clean.endsWith(SCRUBBED))
    clean = clean.slice(0, Math.max(0, clean.lastIndexOf(' ')));
  return cutToBytes(clean, maxBytes);
}

/** Cuts to at most `maxBytes` of UTF-8, never inside a code point; a cut shows as `…`. */
export function cutToBytes(text: string, maxBytes: number): string {
  // Three bytes is the most a UTF-16 unit takes.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const ellipsis = '…';
  let bytes = Buffer.byteLength(ellipsis);
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return maxBytes < Buffer.byteLength(ellipsis) ? '' : text.slice(0, end) + ellipsis;
}

/** One pattern per list of names: a flow's list lives as long as the flow, and never changes. */
const patterns = new WeakMap<readonly string[], NamesPattern>();

function patternOf(sensitive: readonly string[]): NamesPattern {
  const known = patterns.get(sensitive);
  if (known !== undefined) return known;
  const pattern = namesPattern([...ALWAYS_SENSITIVE, ...sensitive]);
  patterns.set(sensitive, pattern);
  return pattern;
}

/** Replaces the values of authorization and cookie headers, to the closing quote or the line's end. */
function scrubHeaders(text: string): string {
  let clean = '';
  let from = 0;
  for (const match of text.matchAll(SECRET_HEADER)) {
    const start = match.index + match[0].length;
    if (match.index < from) continue;
    const quote = match[4];
    const ends = quote === undefined ? ['\n', '\r', '}', ']', "'", '"'] : [quote, '\n', '\r'];
    clean += text.slice(from, start) + SCRUBBED;
    from = nearest(text, ends, start);
  }
  return clean + text.slice(from);
}

function nearest(text: string, ends: readonly string[], start: number): number {
  for (let index = start; index < text.length; index += 1) {
    if (ends.some((end) => text.startsWith(end, index))) return index;
  }
  return text.length;
}

/** `basic validation` is prose; a token has a digit, a capital inside, a sign, or is long. */
function isProse(scheme: string, token: string): boolean {
  if (scheme.toLowerCase() === 'bearer') return BEARER_PROSE.test(token);
  return token.length < 20 && /^[A-Za-z]?[a-z]*[.,]?$/.test(token);
}
