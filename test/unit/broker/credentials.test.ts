import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SecretCredentials } from '../../../functions/broker/credentials.ts';
import { SecretsService } from '../../helpers/secrets-service.ts';
import { within } from './fixtures.ts';

const SECRET_ARN = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:broker-AbCdEf';
const GOOD = { text: '{"username":"layover","password":"hunter2"}' } as const;

let service: SecretsService;

beforeEach(async () => {
  service = await SecretsService.start(() => GOOD);
  for (const [name, value] of Object.entries(service.env)) vi.stubEnv(name, value);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await service.close();
});

function read(credentials: SecretCredentials, fresh = false, patienceMs = 5_000) {
  return credentials.read({ fresh, deadlineAtMs: within(patienceMs) });
}

describe('SecretCredentials', () => {
  it('reads user and password through the SDK', async () => {
    const credentials = new SecretCredentials(SECRET_ARN, Date.now);

    expect(await read(credentials)).toEqual({ username: 'layover', password: 'hunter2' });
    expect(service.reads).toEqual([SECRET_ARN]);
  });

  it('keeps what it read until somebody asks for fresh ones', async () => {
    const credentials = new SecretCredentials(SECRET_ARN, Date.now);
    await read(credentials);
    await read(credentials);
    const cachedReads = service.reads.length;
    service.answer = () => ({ text: '{"username":"layover","password":"new"}' });

    const fresh = await read(credentials, true);
    const cached = await read(credentials);

    expect(cachedReads).toBe(1);
    expect([fresh.password, cached.password]).toEqual(['new', 'new']);
    expect(service.reads).toHaveLength(2);
  });

  it('asks once for everybody who asks at the same time', async () => {
    const credentials = new SecretCredentials(SECRET_ARN, Date.now);

    await Promise.all(Array.from({ length: 10 }, () => read(credentials)));

    expect(service.reads).toHaveLength(1);
  });

  it('tries again after a failure instead of keeping it', async () => {
    const credentials = new SecretCredentials(SECRET_ARN, Date.now);
    service.answer = () => ({ error: 'ResourceNotFoundException' });
    const failed = read(credentials);
    await expect(failed).rejects.toMatchObject({ code: 'SECRET_UNREADABLE' });

    service.answer = () => GOOD;

    expect(await read(credentials)).toMatchObject({ username: 'layover' });
  });

  it.each(['AccessDeniedException', 'ResourceNotFoundException'])(
    '%s is not worth another try',
    async (error) => {
      service.answer = () => ({ error });

      await expect(read(new SecretCredentials(SECRET_ARN, Date.now))).rejects.toMatchObject({
        code: 'SECRET_UNREADABLE',
        blast: 'connection',
        retryable: false,
        message: `The broker's secret ${SECRET_ARN} can't be read: ${error}.`,
      });
    },
  );

  it('throttling is worth another try', async () => {
    service.answer = () => ({ error: 'ThrottlingException' });

    await expect(read(new SecretCredentials(SECRET_ARN, Date.now))).rejects.toMatchObject({
      code: 'SECRET_UNREADABLE',
      retryable: true,
    });
  });

  it('a service that says nothing ends at the deadline', async () => {
    service.answer = () => 'silence';
    const startedAtMs = performance.now();

    const silent = read(new SecretCredentials(SECRET_ARN, Date.now), false, 150);

    await expect(silent).rejects.toMatchObject({
      code: 'SECRET_UNREADABLE',
      retryable: true,
      message: `The broker's secret ${SECRET_ARN} did not answer in time.`,
    });
    expect(performance.now() - startedAtMs).toBeLessThan(8_000);
  });

  it.each([
    'hunter2',
    '"hunter2"',
    'null',
    '[]',
    '{"username":"layover"}',
    '{"username":"","password":"hunter2"}',
    '{"username":"layover","password":2}',
    '{"username":"layover","password":"hunter2"',
  ])('refuses the text %s without repeating it', async (text) => {
    service.answer = () => ({ text });

    const error = await read(new SecretCredentials(SECRET_ARN, Date.now)).catch(
      (reason: Error) => reason,
    );

    expect(error).not.toHaveProperty('cause');
    expect(error).toMatchObject({
      code: 'SECRET_UNREADABLE',
      retryable: false,
      message: `The broker's secret ${SECRET_ARN} must be JSON with the texts "username" and "password".`,
    });
  });
});
