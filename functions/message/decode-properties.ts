import { parseJvmDate } from './jvm-date.ts';
import { SHORT_STRING_LIMIT_BYTES } from './limits.ts';
import { cutUtf8 } from './text.ts';
import type { MessageProperties } from './types.ts';

type Writable = { -readonly [Key in keyof MessageProperties]: MessageProperties[Key] };
type TextProperty = Exclude<
  keyof MessageProperties,
  'priority' | 'deliveryMode' | 'timestampSeconds' | 'timestampText' | 'expiration'
>;

const TEXT_PROPERTIES: readonly TextProperty[] = [
  'contentType',
  'contentEncoding',
  'correlationId',
  'replyTo',
  'messageId',
  'type',
  'userId',
  'appId',
];

/**
 * Decodes AMQP properties, headers aside, of the event or of an AMQP delivery: null and undefined are
 * absent, and what has the wrong type is left out with a warning. Never throws.
 *
 * A timestamp is the JVM's text in the event and whole seconds in a delivery; one that can't be read
 * is kept as text aside.
 */
export function decodeProperties(
  source: Readonly<Record<string, unknown>>,
  warnings: string[],
): MessageProperties {
  const properties: Writable = {};
  for (const name of TEXT_PROPERTIES) {
    const value = source[name] ?? undefined;
    if (typeof value === 'string') properties[name] = value;
    else if (value !== undefined) warnings.push(`${name} is ${shown(value)}, not text: ignored`);
  }
  const priority = octet('priority', source, warnings);
  if (priority !== undefined) properties.priority = priority;
  const deliveryMode = octet('deliveryMode', source, warnings);
  if (deliveryMode !== undefined) properties.deliveryMode = deliveryMode;
  decodeExpiration(source.expiration ?? undefined, properties, warnings);
  decodeTimestamp(source.timestamp ?? undefined, properties, warnings);
  return properties;
}

function octet(
  name: 'priority' | 'deliveryMode',
  source: Readonly<Record<string, unknown>>,
  warnings: string[],
): number | undefined {
  const value = source[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255) {
    return value;
  }
  warnings.push(`${name} is ${shown(value)}, not a whole number from 0 to 255: ignored`);
  return undefined;
}

function decodeExpiration(value: unknown, properties: Writable, warnings: string[]): void {
  if (value === undefined) return;
  if (typeof value === 'string') properties.expiration = value;
  else if (typeof value === 'number') properties.expiration = String(value);
  else warnings.push(`expiration is ${shown(value)}, neither text nor a number: ignored`);
}

function decodeTimestamp(value: unknown, properties: Writable, warnings: string[]): void {
  if (value === undefined) return;
  const seconds = typeof value === 'string' ? parseJvmDate(value) : value;
  if (typeof seconds === 'number' && Number.isSafeInteger(seconds) && seconds >= 0) {
    properties.timestampSeconds = seconds;
    return;
  }
  properties.timestampText = cutUtf8(
    typeof value === 'string' ? value : shown(value),
    SHORT_STRING_LIMIT_BYTES,
  );
  warnings.push(`timestamp ${shown(value)} can't be read as a date: not sent on`);
}

/** A value as short JSON, for a message; total. */
export function shown(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  try {
    return cutUtf8(JSON.stringify(value) ?? typeof value, 80);
  } catch {
    return typeof value;
  }
}
