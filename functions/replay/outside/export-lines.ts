import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Message } from '../../message/types.ts';

export interface ExportFile {
  readonly content: Buffer;
  /** Of the compressed content. */
  readonly sha256: string;
}

const compress = promisify(gzip);

/**
 * Messages as gzipped JSON lines: properties, headers, state and the body as base64, so that what was
 * removed can be looked at, and sent again by whoever needs it.
 */
export async function exportLines(messages: readonly Message[]): Promise<ExportFile> {
  const lines = messages.map(({ body, ...message }) =>
    JSON.stringify({ ...message, body: body.toString('base64') }, plain),
  );
  const content = await compress(Buffer.from(`${lines.join('\n')}\n`));
  return { content, sha256: createHash('sha256').update(content).digest('hex') };
}

/** JSON has neither bytes nor integers beyond 2^53. Called with Buffers already turned into JSON. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  return value;
}
