import type { ScanEnd } from '../broker/parking-reader.ts';
import { decodeDelivery } from '../message/decode-delivery.ts';
import type { Message } from '../message/types.ts';
import type { Flow } from '../policy/types.ts';
import { parkedQueueName } from '../topology/names.ts';
import { ReplayError } from './errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import { parkedFacts } from './parked-facts.ts';
import type { Parking, ReplayPorts } from './ports.ts';
import type { Active } from './store/lease.ts';
import type { ParkedFacts } from './types.ts';

/** Most messages looked at at once; what is deeper is said to be there, and not looked at. */
export const SURVEY_WINDOW = 50_000;
const SURVEY_MS = 120_000;
/** A look takes seconds, and its end is waited for; a run may take hours, and is not. */
const LOOK_PAUSE_MS = 250;
const LOOK_TRIES = 40;

/**
 * Looks at every message of a flow's parking queue, in order, and gives all back. Bodies are not kept
 * unless `each` keeps them.
 *
 * @param each return `enough` to look no further
 * @throws ReplayError `LOCK_HELD` while a run holds the queue, or another look for ten seconds
 */
export async function survey(
  ports: ReplayPorts,
  flow: Flow<never>,
  each: (facts: ParkedFacts, message: Message) => 'more' | 'enough',
  window = SURVEY_WINDOW,
): Promise<ScanEnd> {
  const parking = await openOrSayWho(ports, flow);
  const queue = parkedQueueName(flow.queue);
  try {
    const end = await parking.scan({
      window,
      onDelivery: (delivery) => {
        parking.hold(delivery.fields.deliveryTag);
        const message = decodeDelivery(delivery, queue, ports.vhost);
        return each(parkedFacts(message, fingerprintOf(delivery), flow), message);
      },
    });
    await parking.release();
    return end;
  } finally {
    await parking.close();
  }
}

async function openOrSayWho(ports: ReplayPorts, flow: Flow<never>): Promise<Parking> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ports.openParking(flow.queue, ports.now() + SURVEY_MS);
    } catch (cause) {
      if ((cause as { readonly code?: unknown }).code !== 'PARKING_LOCKED') throw cause;
      const active = await ports.store.leases.active(flow.name).catch(() => undefined);
      if (active !== undefined || tries >= LOOK_TRIES) throw held(flow, active, cause);
    }
    await ports.wait(LOOK_PAUSE_MS);
  }
}

function held(flow: Flow<never>, active: Active | undefined, cause: unknown): ReplayError {
  const who =
    active === undefined ? 'another look at it' : `run ${active.run}, started by ${active.by}`;
  return new ReplayError(
    'LOCK_HELD',
    `The parking queue of flow ${flow.name} is held by ${who}; try again when it is done.`,
    { cause },
  );
}
