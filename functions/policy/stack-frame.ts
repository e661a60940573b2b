/** The place of a failure, told so that a deploy doesn't change it. */

const MAX_LINES = 200;
/** Content hashes bundlers put into file names: `handler-4F2A9C1B.mjs`, `index.3fa85f64.js`. */
const CONTENT_HASH = /[-.](?:(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{8,20}|[A-Z2-7]{8})$/;

/**
 * The topmost frame of a stack that is the team's own code, as `function@file`: no directory, line,
 * column, extension, content hash or query. Frames of Node itself and of `node_modules` are passed
 * over. Works for POSIX paths, Windows paths and `file://` URLs alike.
 *
 * @param message the error's message; it precedes the frames and may itself look like some
 * @returns `undefined` when no such frame is found
 */
export function ownFrame(stack: string | undefined, message: string): string | undefined {
  if (stack === undefined) return undefined;
  for (const line of framesOf(stack, message)) {
    const frame = parseFrame(line);
    if (frame !== undefined) return frame;
  }
  return undefined;
}

function framesOf(stack: string, message: string): string[] {
  const at = message === '' ? -1 : stack.indexOf(message);
  const frames = at < 0 ? stack : stack.slice(at + message.length);
  return frames.split('\n', MAX_LINES).map((line) => line.trim());
}

function parseFrame(line: string): string | undefined {
  if (!line.startsWith('at ') || line.length > 1_000 || line.includes('eval at ')) return undefined;
  // Where a frame has a function, the place is in parentheses: `at fn (place)`. The place may have
  // some of its own: `C:\Program Files (x86)`.
  const open = line.endsWith(')') ? line.indexOf(' (') : -1;
  const place = open < 0 ? line.slice(3).replace(/^async /, '') : line.slice(open + 2, -1);
  if (!isOwn(place)) return undefined;
  const file = fileName(place);
  if (file === '') return undefined;
  return `${open < 0 ? '' : functionName(line.slice(3, open))}@${file}`;
}

function isOwn(place: string): boolean {
  if (!/:\d+$/.test(place)) return false;
  if (/^(node:|internal\/|native|wasm:|<anonymous>)/.test(place)) return false;
  return !/[\\/]node_modules[\\/]/.test(place) && !/[\\/]var[\\/]runtime[\\/]/.test(place);
}

function fileName(place: string): string {
  const path = place.replace(/:\d+(:\d+)?$/, '').replace(/[?#].*$/, '');
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const stem = base.replace(/(\.[cm]?[jt]sx?)$/, '');
  const unhashed = stem.replace(CONTENT_HASH, '');
  return unhashed === '' ? stem : unhashed;
}

/** `async Foo.bar [as baz]` → `Foo.bar`; `new Foo` stays; `Object.<anonymous>` says nothing. */
function functionName(text: string): string {
  const name = text.replace(/^async /, '').replace(/ \[as .*\]$/, '');
  if (/(^|\.)<anonymous>$/.test(name)) return '';
  // The receiver depends on how it was called and on the bundler: `Object.run`, `Module.run`.
  return name.replace(/^(Object|Module|Function|exports|_)\./, '');
}
