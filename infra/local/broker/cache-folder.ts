import { chmod, mkdir, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder that outlives the run and belongs to this user alone: `$XDG_CACHE_HOME/layover`, `~/.cache/layover`,
 * or one in the temporary folder for a user without a home.
 */
export async function cacheFolder(env: NodeJS.ProcessEnv): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const candidates = [
    ...(env.XDG_CACHE_HOME ? [join(env.XDG_CACHE_HOME, 'layover')] : []),
    join(env.HOME || homedir(), '.cache', 'layover'),
    join(tmpdir(), `layover-cache-${uid}`),
  ];
  for (const folder of candidates) {
    if (await isOurs(folder, uid)) return folder;
  }
  throw new Error(`none of ${candidates.join(', ')} can be written`);
}

async function isOurs(folder: string, uid: number): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { uid: owner } = await stat(folder);
    // What is unpacked here is run: a folder somebody else made first in /tmp must not be used.
    if (process.getuid !== undefined && owner !== uid) return false;
    await chmod(folder, 0o700);
    return true;
  } catch {
    return false;
  }
}
