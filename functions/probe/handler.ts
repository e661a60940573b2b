import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { managementOf } from '../broker/management-login.ts';
import { parseMappings } from '../consumer/mapping-setting.ts';
import { parseSettings } from '../consumer/settings.ts';
import type { Topology } from '../topology/types.ts';
import { readMappingStates } from './mapping-states.ts';
import { memoryStore } from './memory-store.ts';
import { runProbe } from './run-probe.ts';

const TIMEOUT_MS = 20_000;
const MAPPINGS_TIMEOUT_MS = 8_000;

const settings = parseSettings(process.env);
const store = memoryStore(settings.tableName);
const mappings = parseMappings(process.env.LAYOVER_MAPPINGS);
/** Deployed beside the code: what the flows of this deployment name. */
const topology = JSON.parse(
  readFileSync(process.env.LAYOVER_MODEL_FILE || join(import.meta.dirname, 'model.json'), 'utf8'),
) as Topology;

/** The probe's Lambda, run every minute. */
export async function handler(): Promise<void> {
  const managementUrl = process.env.LAYOVER_MANAGEMENT_URL;
  const nowMs = Date.now();
  const [management, states] = await Promise.all([
    managementOf(settings.broker, {
      deadlineAtMs: nowMs + TIMEOUT_MS,
      now: Date.now,
      timeoutMs: TIMEOUT_MS,
      ...(managementUrl ? { managementUrl } : {}),
    }),
    readMappingStates(mappings, { timeoutMs: MAPPINGS_TIMEOUT_MS }),
  ]);
  const { lines, memory } = await runProbe({
    management,
    topology,
    vhost: process.env.LAYOVER_BROKER_VHOST || '/',
    environment: settings.environment,
    memory: await store.load(),
    mappings: states,
    nowMs,
    removeTiers: process.env.LAYOVER_REMOVE_TIERS === 'true',
  });
  await store.save(memory);
  for (const line of lines) process.stdout.write(`${line}\n`);
}
