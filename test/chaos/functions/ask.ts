import type { Place, Point, Way } from '../harness/faults.ts';
import { ASKED_SUFFIX } from '../harness/faults.ts';

const PLACE = (process.env.CHAOS_PLACE ?? 'work') as Place;

/** Posts to the control server. The process waits for the answer before it goes on. */
export async function post(path: string, body: object): Promise<Response> {
  const response = await fetch(`${process.env.CHAOS_URL}${path}`, {
    method: 'POST',
    body: JSON.stringify({ ...body, place: PLACE, pid: process.pid }),
  });
  return response;
}

/** Asks whether to die here with one of these messages, and does. Returns when not. */
export async function dieIfTold(point: Point, ids: readonly string[]): Promise<void> {
  const asked = ids.filter((id) => id.endsWith(ASKED_SUFFIX));
  if (asked.length === 0) return;
  const response = await post('/ask', { point, ids: asked });
  const { way } = (await response.json()) as { readonly way?: Way };
  if (way !== undefined) end(way);
}

function end(way: Way): never {
  switch (way) {
    case 'SIGKILL':
      process.kill(process.pid, 'SIGKILL');
      return spin();
    case 'abort':
      return process.abort();
    case 'out-of-memory':
      return hoard();
    case 'endless-loop':
      return spin();
  }
}

function hoard(): never {
  const all: unknown[] = [];
  for (;;) all.push(new Array(1_000_000).fill(all.length));
}

/** Never lets another line of the process run. */
function spin(): never {
  for (;;);
}
