/** AMQP clients a handler may use itself (amqplib, rabbitmq-client). */
import type { ErrorFacts } from '../types.ts';
import type { KeyedRule } from './lookup.ts';
import { all, code, codeLike, message, named, rule } from './match.ts';

/** amqplib's encoder stumbling over a property: its frame is the topmost that isn't Node's. */
function inEncoder(error: ErrorFacts): boolean {
  const frame = (error.stack ?? '')
    .split('\n', 20)
    .find((line) => /^\s+at /.test(line) && !line.includes('node:'));
  return (
    frame !== undefined &&
    /[\\/]amqplib[\\/]|\bencode(?:Basic)?Properties\b|\bencodeTable\b/.test(frame)
  );
}

export const AMQP_RULES: readonly KeyedRule[] = [
  rule('amqp.access-refused', 'security', message(/\bACCESS[-_]REFUSED\b/)),
  rule(
    'amqp.connection',
    'transient',
    message(
      /\b(CONNECTION[-_]FORCED|Heartbeat timeout|Socket closed abruptly during opening handshake|Unexpected close)\b/,
    ),
    all(named('IllegalOperationError'), message(/^(Channel|Connection) (closed|closing)/i)),
    all(
      named('AMQPConnectionError', 'AMQPChannelError'),
      codeLike(/^(CONN_|CH_|TX_|TIMEOUT|CONNECTION_FORCED)/),
    ),
  ),
  rule(
    'amqp.nacked',
    'backpressure',
    message(/^message nacked$/),
    all(named('AMQPError'), code('NACK', 'BASIC_NACK')),
  ),
  // Not the fault of the code that asked for a publish, and not known to pass either.
  rule('amqp.encoder', 'unknown', all(named('TypeError'), inEncoder)),
];
