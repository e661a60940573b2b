interface Headline {
  readonly messages: number;
  readonly seed: number;
  readonly speed: number;
}

/** What is about to run, with how much of it goes to which flow. */
export function headline(
  { messages, seed, speed }: Headline,
  counts: ReadonlyMap<string, number>,
): string {
  if (messages === 0 || counts.size === 0) return `Layover: time ${speed} times as fast`;
  const parts = [...counts].map(([flow, count]) => `${count} ${flow}`).join(', ');
  return `Layover: ${messages} messages (${parts}), seed ${seed}, time ${speed} times as fast`;
}

/** What somebody who has seen the run may want to do next. */
export function whereNext(flow: string): string[] {
  const hints = [
    [
      `npm run -s layover -- explain ${flow}`,
      'its schedule, and what happens to each kind of failure',
    ],
    ['npm start -- --keep', 'the same, and stays up while you write a handler'],
    ['npm start -- --help', 'other seeds, sizes and speeds; kills in mid-run'],
    ['README.md', 'one message’s life, and how to write a flow'],
  ] as const;
  const width = Math.max(...hints.map(([command]) => command.length));
  return [
    '',
    'Where to look next:',
    ...hints.map(([command, what]) => `  ${command.padEnd(width)}   ${what}`),
  ];
}
