import type { Flow } from '../../functions/policy/types.ts';
import { print, printJson, visible } from '../output.ts';
import { type Review, review } from '../review/review.ts';

const WIDTH = 96;

/** Prints the review of a flow: for people, or as one JSON value. */
export function printReview(flow: Flow, json: boolean): void {
  const reviewed = review(flow);
  if (json) printJson(reviewed);
  else print(inWords(reviewed));
}

function inWords(reviewed: Review): string {
  const blocks = reviewed.topics.map(({ question, answers, attention }) =>
    [
      question,
      ...answers.map((answer) => item('-', answer)),
      ...attention.map((risk) => item('!', risk)),
    ].join('\n'),
  );
  const risks = reviewed.topics.reduce((sum, { attention }) => sum + attention.length, 0);
  return [
    visible(`Review of ${reviewed.flow}  (${reviewed.owner})`),
    ...blocks,
    `${risks} ${risks === 1 ? 'line' : 'lines'} marked with ! ${risks === 1 ? 'is' : 'are'} for you to decide.`,
  ].join('\n\n');
}

/** One answer, wrapped, its further lines under its first word. */
function item(mark: string, text: string): string {
  const lines: string[] = [];
  let line = `  ${mark}`;
  for (const word of visible(text).split(' ')) {
    if (line.length + 1 + word.length > WIDTH && line.trim() !== mark) {
      lines.push(line);
      line = `    ${word}`;
    } else {
      line += ` ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
