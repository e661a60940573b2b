#!/usr/bin/env node
// Checks the last line of a `--json` run: .ci/last-line.mjs <file> [<field>=<value>…]
// A value of the form ~text asks that the field contains the text.
import { readFileSync } from 'node:fs';

const [file, ...wanted] = process.argv.slice(2);
const line = readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '';
let report;
try {
  report = JSON.parse(line);
} catch {
  console.error(`the last line is no JSON: ${line.slice(0, 200)}`);
  process.exit(1);
}
for (const condition of wanted) {
  const [field, value] = condition.split(/=(.*)/s);
  const actual = String(field.split('.').reduce((object, key) => object?.[key], report));
  const holds = value.startsWith('~') ? actual.includes(value.slice(1)) : actual === value;
  if (!holds) {
    console.error(`${field} should be ${value}, but is ${actual}`);
    process.exitCode = 1;
  }
}
