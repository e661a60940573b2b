import { SettingsError } from './settings.ts';

/** Ids (UUIDs) of the event source mappings of each flow. */
export type FlowMappings = Readonly<Record<string, readonly string[]>>;

/**
 * Reads `LAYOVER_MAPPINGS`, JSON of {@link FlowMappings}. Absent or empty: there are none to ask
 * for, as in a local run.
 * @throws SettingsError when it is something else.
 */
export function parseMappings(text: string | undefined): FlowMappings {
  if (text === undefined || text === '') return {};
  const value = jsonOf(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unusable(text);
  const entries = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([flow, ids]) => {
      if (!Array.isArray(ids) || !ids.every(isId)) throw unusable(text);
      return [flow, ids];
    }),
  );
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unusable(text: string): SettingsError {
  return new SettingsError(
    `LAYOVER_MAPPINGS is '${text.slice(0, 200)}'; give the mappings' ids by flow, as {"orders":["<uuid>","<uuid>"]}, or leave it out.`,
  );
}
