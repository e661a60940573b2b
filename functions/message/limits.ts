import { HEADERS, type OwnHeader } from './headers.ts';

/** Everything of ours on one message, encoded, the publisher's token included: stays under this. */
export const OWN_BLOCK_LIMIT_BYTES = 4096;

/** Room kept for `x-layover-publish`, which the publisher adds: its name, a token up to 88 bytes. */
export const TOKEN_RESERVE_BYTES = 111;

/**
 * Largest encoded header table one publish can carry: amqplib encodes it in a buffer of 64 KiB. (The
 * broker's own ceiling is one frame, 128 KiB by default.)
 */
export const HEADERS_LIMIT_BYTES = 65_536;

/** AMQP short strings: header names and text properties. */
export const SHORT_STRING_LIMIT_BYTES = 255;

/** Ceiling of every counter: more than any schedule allows, so it reads as exhausted. */
export const COUNT_LIMIT = 1_000_000;

/** Deaths read from one message; a forged `x-death` may claim any number. */
export const DEATHS_LIMIT = 64;

/** Levels of tables and arrays inside one header; deeper ones are left out, and reported. */
export const NESTING_LIMIT = 64;

/** Text headers of ours, in bytes of UTF-8. Held on writing and, against strangers, on reading. */
export const TEXT_LIMIT_BYTES = {
  [HEADERS.failureClass]: 32,
  [HEADERS.failureRule]: 128,
  [HEADERS.failureSignature]: 64,
  [HEADERS.failureName]: 128,
  [HEADERS.failureCode]: 64,
  [HEADERS.failureMessage]: 1024,
  [HEADERS.failureConsumer]: 255,
  [HEADERS.failureLabels]: 512,
  [HEADERS.originQueue]: 255,
  [HEADERS.originExchange]: 255,
  [HEADERS.originRoutingKey]: 255,
  [HEADERS.originUserId]: 255,
  [HEADERS.originDeaths]: 512,
  [HEADERS.originDropped]: 512,
  [HEADERS.originBytes]: 512,
  [HEADERS.replayRun]: 64,
  [HEADERS.replayBy]: 255,
  [HEADERS.replayReason]: 512,
  [HEADERS.replayTicket]: 128,
} as const satisfies Partial<Record<OwnHeader, number>>;

export type TextHeader = keyof typeof TEXT_LIMIT_BYTES;

/**
 * What gives way, in this order, when the whole block would not fit: the error's text first, then
 * labels, then histories, then names. Queue, exchange and routing key are never cut. After the last
 * step the worst case is well under the limit.
 */
export const SHRINK_STEPS: readonly (readonly [TextHeader, number])[] = [
  [HEADERS.failureMessage, 512],
  [HEADERS.failureMessage, 256],
  [HEADERS.failureLabels, 256],
  [HEADERS.failureLabels, 128],
  [HEADERS.originDeaths, 128],
  [HEADERS.originDropped, 128],
  [HEADERS.replayReason, 128],
  [HEADERS.failureName, 64],
  [HEADERS.failureRule, 64],
  [HEADERS.failureCode, 32],
  [HEADERS.failureConsumer, 128],
  [HEADERS.replayBy, 128],
  [HEADERS.replayTicket, 64],
  [HEADERS.failureMessage, 64],
  [HEADERS.failureLabels, 0],
];
