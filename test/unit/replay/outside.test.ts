import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFileExporter } from '../../../functions/replay/outside/export-file.ts';
import { exportLines } from '../../../functions/replay/outside/export-lines.ts';
import { parseReplaySettings } from '../../../functions/replay/settings.ts';
import { aMessage } from '../../helpers/messages.ts';

describe('an export', () => {
  const messages = [
    aMessage({ properties: { messageId: 'm-1' }, body: Buffer.from([0, 255, 10]) }),
    aMessage({
      properties: { messageId: 'm-2' },
      headers: Object.assign(Object.create(null), {
        big: 9007199254740993n,
        raw: Buffer.from('x'),
      }),
    }),
  ];

  it('has a line per message, from which body and headers come back', async () => {
    const { content, sha256 } = await exportLines(messages);

    const lines = gunzipSync(content)
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({ properties: { messageId: 'm-1' }, queue: 'orders' });
    expect(Buffer.from(lines[0].body, 'base64')).toEqual(Buffer.from([0, 255, 10]));
    expect(lines[1].headers.big).toBe('9007199254740993');
    expect(sha256).toBe(createHash('sha256').update(content).digest('hex'));
  });

  it('to a folder is under its name only when it is whole', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'layover-export-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));

    const { to, sha256 } = await createFileExporter(folder).keep('r-1', 'part-1', messages);

    const content = await readFile(to);
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
    expect(await readdir(dirname(to))).toEqual(['part-1.jsonl.gz']);
  });

  it('that can not be written is an error, and nothing is removed for it', async () => {
    const exporter = createFileExporter('/dev/null/not-a-folder');

    await expect(exporter.keep('r-1', 'part-1', messages)).rejects.toThrow('ENOTDIR');
  });
});

describe('the settings of a replay function', () => {
  const env = {
    AMQP_URL: 'amqp://localhost',
    LAYOVER_REPLAY_TABLE: 'replay',
    LAYOVER_AUDIT_TABLE: 'audit',
  };

  it('have safe defaults: nothing moves by itself', () => {
    expect(parseReplaySettings(env)).toMatchObject({
      environment: 'local',
      vhost: '/',
      observe: true,
      switchPrefix: '/layover/local/replay',
      ownAlarms: {},
      exportBucket: undefined,
    });
  });

  it('are all read', () => {
    expect(
      parseReplaySettings({
        ...env,
        LAYOVER_ENVIRONMENT: 'prod',
        LAYOVER_REPLAY_MODE: 'on',
        LAYOVER_QUIET_ALARMS: '{"orders":["settle-failures"]}',
        LAYOVER_EXPORT_BUCKET: 'exports',
        LAYOVER_SWITCH_PREFIX: '/elsewhere',
        LAYOVER_BROKER_VHOST: 'shop',
        LAYOVER_MANAGEMENT_URL: 'http://localhost:15672',
      }),
    ).toMatchObject({
      environment: 'prod',
      vhost: 'shop',
      observe: false,
      switchPrefix: '/elsewhere',
      ownAlarms: { orders: ['settle-failures'] },
      exportBucket: 'exports',
      managementUrl: 'http://localhost:15672',
    });
  });

  it.each([
    [
      { LAYOVER_REPLAY_TABLE: '' },
      'LAYOVER_REPLAY_TABLE is missing; set it to the name of the table',
    ],
    [{ LAYOVER_AUDIT_TABLE: undefined }, 'LAYOVER_AUDIT_TABLE is missing'],
    [{ LAYOVER_REPLAY_MODE: 'yes' }, "LAYOVER_REPLAY_MODE is 'yes'; give on or observe."],
    [{ LAYOVER_QUIET_ALARMS: '{' }, "LAYOVER_QUIET_ALARMS is '{'; give JSON"],
    [{ LAYOVER_QUIET_ALARMS: '["a"]' }, 'LAYOVER_QUIET_ALARMS is'],
    [{ LAYOVER_QUIET_ALARMS: '{"orders":"a"}' }, 'LAYOVER_QUIET_ALARMS is'],
    [{ LAYOVER_QUIET_ALARMS: 'null' }, 'LAYOVER_QUIET_ALARMS is'],
  ])('refuse %j', (change, message) => {
    expect(() => parseReplaySettings({ ...env, ...change })).toThrow(message);
  });
});
