import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../cli/exit.ts';
import { readInput, readJson, readText } from '../../../cli/json-file.ts';
import { tempFile } from './run-layover.ts';

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).message;
}

describe('reading a file named on the command line', () => {
  it('gives its bytes as they are', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    expect(await readInput(await tempFile('body', bytes))).toEqual(bytes);
  });

  it('gives JSON of any kind, keys named __proto__ included', async () => {
    const value = await readJson(await tempFile('e.json', '{"__proto__":{"a":1}}'));
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(await readJson(await tempFile('e.json', 'null'))).toBeNull();
  });

  it('overlooks the byte order mark an editor put in front', async () => {
    const file = await tempFile('e.json', '\ufeff{"a":1}');
    expect(await readText(file)).toBe('{"a":1}');
    expect(await readJson(file)).toEqual({ a: 1 });
  });

  it('says that there is no such file', async () => {
    expect(await refusal(readInput('nothing/here.json'))).toContain(
      "Can't read 'nothing/here.json': there is no such file",
    );
  });

  it('says that a folder is no file', async () => {
    expect(await refusal(readInput(tmpdir()))).toBe(`Can't read '${tmpdir()}': it is a folder.`);
  });

  it('says where JSON is wrong, and that an empty file is empty', async () => {
    const broken = await tempFile('broken.json', '{"a":}');
    expect(await refusal(readJson(broken))).toMatch(/broken\.json' is no JSON: .+/);
    const empty = await tempFile('empty.json', ' \n');
    expect(await refusal(readJson(empty))).toMatch(/empty\.json' is empty; JSON was expected/);
  });
});
