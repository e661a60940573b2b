const ELLIPSIS = '…';
const ELLIPSIS_BYTES = 3;

/**
 * The text, or as much of its start as fits `maxBytes` of UTF-8 with an ellipsis at the end. Never
 * splits a character. Unpaired surrogates, which have no UTF-8, become U+FFFD as they would on the wire.
 */
export function cutUtf8(text: string, maxBytes: number): string {
  // One UTF-16 unit is at most three bytes, and at least one: most texts need no counting, and of a
  // huge one only the start is looked at.
  if (text.length * 3 <= maxBytes) return text.toWellFormed();
  const wellFormed = text.slice(0, maxBytes + 1).toWellFormed();
  if (text.length <= maxBytes && Buffer.byteLength(wellFormed) <= maxBytes) return wellFormed;
  const room = maxBytes - ELLIPSIS_BYTES;
  if (room < 0) return '';
  let bytes = 0;
  let end = 0;
  for (const character of wellFormed) {
    bytes += Buffer.byteLength(character);
    if (bytes > room) break;
    end += character.length;
  }
  return wellFormed.slice(0, end) + ELLIPSIS;
}
