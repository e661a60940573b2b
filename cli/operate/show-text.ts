import type { Answers, Wire } from '../../functions/replay/operations/answers.ts';
import { textTable, visible } from '../output.ts';
import { layover, word } from './commands.ts';
import { at, who } from './words.ts';

type Shown = Wire<Answers['show']>;
type Body = Wire<Answers['body']>;

/**
 * A message without its body: why it is parked, where it has been, what the sender wrote on it.
 * @param withBody the body is shown below, so how to get it needs no saying
 */
export function showText(shown: Shown, flags: string, withBody = false): string {
  const { flow, facts, message, automatic } = shown;
  const { state, properties } = message;
  const error = [facts.errorName, facts.errorMessage].filter((part) => part !== undefined);
  const rows: string[][] = [
    ['message', facts.messageId],
    ['flow', flow],
    ['class', `${facts.class}${facts.rule === undefined ? '' : ` (${facts.rule})`}`],
    ['signature', facts.signature],
    ['error', error.join(': ') || '-'],
    ['failed first', at(facts.firstAt)],
    ['parked', at(facts.parkedAt)],
    ['attempts', `${state.retryCount + 1} since the last replay`],
    ...replayRows(message),
    ['from', originText(message)],
    ...Object.entries(facts.labels).map(([name, value]) => [`label ${name}`, value]),
    ['automatic replay', automatic.taken ? 'yes' : `no: ${automatic.guard}, ${automatic.why}`],
    ['body', `${message.bytes} bytes, ${properties.contentType ?? 'no content type'}`],
  ];
  const sent = [
    ...Object.entries(properties).map(([name, value]) => [name, textOf(value)]),
    ...Object.entries(message.headers).map(([name, value]) => [name, textOf(value)]),
  ];
  return [
    textTable([], rows),
    '',
    'As its sender wrote it:',
    textTable(
      [],
      sent.map(([name = '', value = '']) => [`  ${name}`, value]),
    ),
    '',
    ...(withBody
      ? []
      : [
          `Its body (needs the permission for bodies):  ${layover(`show ${flow} ${word(facts.messageId)} --body`, flags)}`,
        ]),
    `Replay it alone:  ${layover(`plan ${flow} --id ${word(facts.messageId)}`, flags)}`,
  ].join('\n');
}

function replayRows({ state }: Shown['message']): string[][] {
  const { count, by, reason, ticket, run } = state.replay;
  if (count === 0) return [['replayed', 'never']];
  const times = count === 1 ? 'once' : `${count} times`;
  const why = `${reason ?? '-'}${ticket === undefined ? '' : ` (${ticket})`}`;
  return [
    ['replayed', `${times}, last ${at(state.replay.at)} by ${who(by)}: ${why}`],
    ['last run', run ?? '-'],
  ];
}

function originText({ state, deaths }: Shown['message']): string {
  const { queue, exchange, routingKey } = state.origin;
  const [death] = deaths;
  if (death !== undefined) {
    return `${death.queue}, dead-lettered by the broker (${death.reason}, ${death.count} times)`;
  }
  const route = exchange === undefined ? '' : `, sent to ${exchange || '(default)'}/${routingKey}`;
  return `${queue ?? 'not known'}${route}`;
}

/** Text as it is, JSON laid out; what is neither, in base64. Control characters are shown, not obeyed. */
export function bodyText({ base64, contentType }: Body): string {
  const bytes = Buffer.from(base64, 'base64');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return `Not text (${contentType ?? 'no content type'}), in base64:\n${base64}`;
  }
  return laidOut(text)
    .split(/\r?\n/)
    .map((line) => visible(line))
    .join('\n');
}

function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
