import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../../.ci/last-line.mjs', import.meta.url));
const OUTPUT = 'progress\n{"lost":1}\n{"lost":0,"attempts":{"1":500},"broker":"RabbitMQ 4.3.6"}\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'layover-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function check(output: string, ...conditions: string[]) {
  const file = join(folder, 'output');
  writeFileSync(file, output);
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, file, ...conditions]);
  return { status, stderr: stderr.toString().trim() };
}

describe('.ci/last-line.mjs', () => {
  it('passes when the last line is a report that meets every condition', () => {
    expect(check(OUTPUT, 'lost=0', 'attempts.1=500', 'broker=~4.3.')).toEqual({
      status: 0,
      stderr: '',
    });
  });

  it.each([
    ['lost=1', 'lost should be 1, but is 0'],
    ['inFlight=0', 'inFlight should be 0, but is undefined'],
    ['broker=~4.0.', 'broker should be ~4.0., but is RabbitMQ 4.3.6'],
    ['a.b.c=1', 'a.b.c should be 1, but is undefined'],
  ])('fails on %s and says: %s', (condition, reason) => {
    expect(check(OUTPUT, condition)).toEqual({ status: 1, stderr: reason });
  });

  it.each([`${OUTPUT}Error: too late\n`, ''])(
    'fails when the last line is no report: %j',
    (output) => {
      expect(check(output)).toMatchObject({ status: 1 });
    },
  );
});
