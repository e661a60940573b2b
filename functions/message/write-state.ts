import { emptyTable, entryBytes } from './amqp-value.ts';
import { HEADERS } from './headers.ts';
import { isoText } from './iso-text.ts';
import {
  COUNT_LIMIT,
  OWN_BLOCK_LIMIT_BYTES,
  SHRINK_STEPS,
  TEXT_LIMIT_BYTES,
  type TextHeader,
  TOKEN_RESERVE_BYTES,
} from './limits.ts';
import { suspectValue } from './suspect-mark.ts';
import { cutUtf8 } from './text.ts';
import type { HeaderTable, HeaderValue, MessageState } from './types.ts';

/** What becomes of the state on the wire; `own` isn't written, the publisher's token stands for it. */
export type WritableState = Omit<MessageState, 'own'>;

type Texts = Map<TextHeader, string>;

/**
 * Our own headers for a state, in the form amqplib encodes: the counterpart of `readState`.
 *
 * Never fails and never outgrows {@link OWN_BLOCK_LIMIT_BYTES}, the publisher's token included: every
 * text has a limit of its own, and when all of them together are too much, they give way in the order
 * of {@link SHRINK_STEPS}.
 *
 * @param bytePaths content of `x-origin-bytes`, when the sender's headers need it
 * @param into the table to write them into; default: a new one
 */
export function writeState(
  state: WritableState,
  bytePaths?: string,
  into: Record<string, HeaderValue> = emptyTable(),
): HeaderTable {
  const texts = textsOf(state, bytePaths);
  if (atMostBytes(texts) >= OWN_BLOCK_LIMIT_BYTES) {
    shrinkToFit(texts, ownBlockBytes(fixedHeaders(state, emptyTable())), state);
  }
  fixedHeaders(state, into);
  for (const [name, value] of texts) into[name] = value;
  return into;
}

/** Encoded bytes of our block on a copy, the room for the publisher's token included. */
export function ownBlockBytes(block: HeaderTable): number {
  return TOKEN_RESERVE_BYTES + sum(Object.entries(block));
}

/** The JSON of as many labels, in order, as fit; undefined when there are none. */
export function labelsText(
  labels: Readonly<Record<string, string>> | undefined,
  maxBytes: number,
): string | undefined {
  const kept: string[] = [];
  let bytes = 2;
  for (const [name, value] of Object.entries(labels ?? {})) {
    // A flow's own function made these: TypeScript's word isn't enough.
    if (typeof value !== 'string') continue;
    const entry = `${JSON.stringify(name.toWellFormed())}:${JSON.stringify(value.toWellFormed())}`;
    const entrySize = Buffer.byteLength(entry) + (kept.length > 0 ? 1 : 0);
    if (bytes + entrySize > maxBytes) continue;
    kept.push(entry);
    bytes += entrySize;
  }
  return kept.length === 0 ? undefined : `{${kept.join(',')}}`;
}

function fixedHeaders(
  state: WritableState,
  block: Record<string, HeaderValue>,
): Record<string, HeaderValue> {
  const { failure, replay } = state;
  if (failure !== undefined || state.retryCount > 0) {
    block[HEADERS.retryCount] = count(state.retryCount);
  }
  if (replay.count > 0) block[HEADERS.replayCount] = count(replay.count);
  if (state.suspect) block[HEADERS.failureSuspect] = suspectValue(state.endedRun);
  setMoment(block, HEADERS.notBefore, state.notBefore);
  setMoment(block, HEADERS.failureFirstAt, state.firstAt);
  setMoment(block, HEADERS.failureLastAt, state.lastAt);
  setMoment(block, HEADERS.originDeadline, state.origin.deadline);
  setMoment(block, HEADERS.replayAt, replay.at);
  return block;
}

function count(value: number): HeaderValue {
  const safe = Number.isFinite(value) ? Math.trunc(value) : COUNT_LIMIT;
  return { '!': 'int', value: Math.min(Math.max(safe, 0), COUNT_LIMIT) };
}

function setMoment(block: Record<string, HeaderValue>, name: string, at: Date | undefined): void {
  if (at !== undefined && !Number.isNaN(at.getTime())) block[name] = isoText(at.getTime());
}

function textsOf(state: WritableState, bytePaths: string | undefined): Texts {
  const { failure, origin, replay } = state;
  const texts: Texts = new Map();
  const set = (name: TextHeader, value: string | undefined) => {
    if (value !== undefined) texts.set(name, cutUtf8(value, TEXT_LIMIT_BYTES[name]));
  };
  set(HEADERS.failureClass, failure?.class);
  set(HEADERS.failureRule, failure?.rule);
  set(HEADERS.failureSignature, failure?.signature);
  set(HEADERS.failureName, failure?.name);
  set(HEADERS.failureCode, failure?.code);
  set(HEADERS.failureMessage, failure?.message);
  set(HEADERS.failureConsumer, state.consumer);
  set(HEADERS.failureLabels, labelsText(state.labels, TEXT_LIMIT_BYTES[HEADERS.failureLabels]));
  set(HEADERS.originQueue, origin.queue);
  set(HEADERS.originExchange, origin.exchange);
  set(HEADERS.originRoutingKey, origin.routingKey);
  set(HEADERS.originUserId, origin.userId);
  set(HEADERS.originDeaths, origin.deaths);
  set(HEADERS.originDropped, origin.dropped);
  set(HEADERS.originBytes, bytePaths);
  set(HEADERS.replayRun, replay.run);
  set(HEADERS.replayBy, replay.by);
  set(HEADERS.replayReason, replay.reason);
  set(HEADERS.replayTicket, replay.ticket);
  return texts;
}

/**
 * A bound that needs no counting of UTF-8: three bytes a unit, and 750 for the token and what is
 * fixed. Most blocks are far below the limit even so.
 */
function atMostBytes(texts: Texts): number {
  let units = 0;
  for (const [name, value] of texts) units += name.length + value.length + 2;
  return units * 3 + 750;
}

function shrinkToFit(texts: Texts, fixedBytes: number, state: WritableState): void {
  for (const [name, limit] of SHRINK_STEPS) {
    if (fixedBytes + sum(texts) < OWN_BLOCK_LIMIT_BYTES) return;
    shrink(texts, name, limit, state);
  }
}

function shrink(texts: Texts, name: TextHeader, limit: number, state: WritableState): void {
  const value = texts.get(name);
  if (value === undefined) return;
  const shorter =
    name === HEADERS.failureLabels ? labelsText(state.labels, limit) : cutUtf8(value, limit);
  if (shorter === undefined) texts.delete(name);
  else texts.set(name, shorter);
}

function sum(entries: Iterable<readonly [string, HeaderValue]>): number {
  let bytes = 0;
  for (const [name, value] of entries) bytes += entryBytes(name, value);
  return bytes;
}
