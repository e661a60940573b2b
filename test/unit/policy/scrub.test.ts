import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToBytes, scrub } from '../../../functions/policy/scrub.ts';

const jwt = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N'].join(
  '.',
);
const fake = (...parts: string[]) => parts.join('');

describe('secrets nobody has to name', () => {
  it.each([
    [
      'amqps://app:s3cret@broker.test:5671/orders refused',
      'amqps://***@broker.test:5671/orders refused',
    ],
    ['postgres://app:p@ss@db/x', 'postgres://***@db/x'],
    ['postgres://app:p/ss@db/x', 'postgres://***@db/x'],
    ['https://token@host/x', 'https://***@host/x'],
    ['two: http://a:b@c http://d:e@f', 'two: http://***@c http://***@f'],
    ['https://host/path?q=1 is left alone', 'https://host/path?q=1 is left alone'],
    ['authorization: Bearer abc.def', 'authorization: ***'],
    ['Authorization: Basic YWJjOmRlZg==\nhost: x', 'Authorization: *** host: x'],
    ['{"authorization":"Bearer abc","host":"x"}', '{"authorization":"***","host":"x"}'],
    [
      "{ Authorization: 'AWS4-HMAC-SHA256 Credential=AB, Signature=cd', host: 'x' }",
      "{ Authorization: '***', host: 'x' }",
    ],
    [
      '{\\"authorization\\":\\"Bearer abc\\",\\"host\\":\\"x\\"}',
      '{\\"authorization\\":\\"***\\",\\"host\\":\\"x\\"}',
    ],
    ['proxy-authorization=Basic abc', 'proxy-authorization=***'],
    ['cookie: sid=1; theme=dark', 'cookie: ***'],
    ["'set-cookie': [ 'sid=1; HttpOnly' ]", "'set-cookie': [ '***' ]"],
    ['sent Bearer abcdef to host', 'sent Bearer *** to host'],
    ['sent bearer AbC-123._~+/= to host', 'sent bearer *** to host'],
    ['sent Basic YWJjOmRlZg== to host', 'sent Basic *** to host'],
    ['Bearer token expired', 'Bearer token expired'],
    ['basic validation failed', 'basic validation failed'],
    [`got ${jwt} there`, 'got *** there'],
    [`key ${fake('AKIA', 'IOSFODNN7EXAMPLE')} denied`, 'key *** denied'],
    [`key ${fake('ASIA', 'IOSFODNN7EXAMPLE')}`, 'key ***'],
    [`got ${fake('ghp_', 'a1B2'.repeat(9))}`, 'got ***'],
    [`got ${fake('xoxb-', '1234567890-abc')}`, 'got ***'],
    [`got ${fake('sk_live_', '4eC39HqLyjWD')}`, 'got ***'],
    [`got ${fake('sk-proj-', 'abcDEF0123456789xyz')}`, 'got ***'],
    [`-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----`, '***'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE cut short', '***'],
    ['no mail to bob.smith+x@mail.example.com today', 'no mail to *** today'],
    ['jörg@müller.example', '***'],
    ['user@localhost stays', 'user@localhost stays'],
    ['GET /x?token=abc&page=2', 'GET /x?token=***&page=2'],
    ['GET /x?X-Amz-Signature=abc&page=2', 'GET /x?X-Amz-Signature=***&page=2'],
    ['login failed password=hunter2 for app', 'login failed password=*** for app'],
    ['DB_PASSWORD: hunter2', 'DB_PASSWORD: ***'],
    ['{"client_secret":"abc","grant_type":"x"}', '{"client_secret":"***","grant_type":"x"}'],
    ['apiKey: abc123, region: eu', 'apiKey: ***, region: eu'],
    ["Unexpected token '<' in JSON", "Unexpected token '<' in JSON"],
  ])('%j → %j', (text, clean) => {
    expect(scrub(text, [])).toBe(clean);
  });
});

describe('values of the flow’s sensitive names', () => {
  const names = ['cardNumber', 'iban', 'date of birth', 'email'];

  it.each([
    ['cardNumber=4111111111111111', 'cardNumber=***'],
    ['cardNumber=4111 1111 1111 1111 was refused', 'cardNumber=*** was refused'],
    ['cardNumber: 4111 1111 1111 1111', 'cardNumber: ***'],
    ['card_number=4111', 'card_number=***'],
    ['Card-Number: 4111', 'Card-Number: ***'],
    ['CARD NUMBER = 4111', 'CARD NUMBER = ***'],
    ['{"cardNumber":"4111 1111","cvc":1}', '{"cardNumber":"***","cvc":1}'],
    ['{"cardNumber": 4111, "cvc": 1}', '{"cardNumber": ***, "cvc": 1}'],
    ['{\\"cardNumber\\":\\"4111\\",\\"a\\":1}', '{\\"cardNumber\\":\\"***\\",\\"a\\":1}'],
    ['{"cardNumber":"a\\"b","x":1}', '{"cardNumber":"***","x":1}'],
    ['{"cardNumber":["41","11"],"x":1}', '{"cardNumber":[***],"x":1}'],
    ['{"iban":{"a":{"b":1},"c":2},"x":1}', '{"iban":{***},"x":1}'],
    ["{ iban: 'DE89', x: 1 }", "{ iban: '***', x: 1 }"],
    ['{"cardNumber":"4111 cut short', '{"cardNumber":"***'],
    ['iban=DE89&bic=X', 'iban=***&bic=X'],
    ['iban => DE89; x', 'iban => ***; x'],
    ['<iban>DE89</iban>', '<iban>***</iban>'],
    ['date_of_birth: 1970-01-01', 'date_of_birth: ***'],
    ['dateOfBirth="1970-01-01"', 'dateOfBirth="***"'],
    ['customer.iban: DE89', 'customer.iban: ***'],
    ['Key (email)=(bob) already exists.', 'Key (email)=(***) already exists.'],
    ['Key (email, tenant)=(bob, 1) already exists.', 'Key (email, tenant)=(***) already exists.'],
    ["Duplicate entry 'bob' for key 'users.email'", "Duplicate entry '***' for key 'users.email'"],
    ["Duplicate entry 'bob' for key 'users.name'", "Duplicate entry 'bob' for key 'users.name'"],
    ['the iban is missing', 'the iban is missing'],
    ['ibanCheck=failed', 'ibanCheck=failed'],
    ['iban:', 'iban:'],
  ])('%j → %j', (text, clean) => {
    expect(scrub(text, names)).toBe(clean);
  });

  it('names with signs of regular expressions are plain text', () => {
    expect(scrub('a.b(c)=1 axb=2', ['a.b(c)'])).toBe('a.b(c)=*** axb=2');
  });

  it('blank names and things that are no names are passed over', () => {
    expect(scrub('x=1', ['', '  ', undefined as never])).toBe('x=1');
  });

  it('whatever the value, a quoted one is gone', () => {
    const value = fc
      .string({ minLength: 4, maxLength: 40 })
      .filter((text) => !'{"iban":"***","x":1}'.includes(text));
    fc.assert(
      fc.property(value, (secret) => {
        const json = JSON.stringify({ iban: secret, x: 1 });
        expect(scrub(json, ['iban'])).toBe('{"iban":"***","x":1}');
      }),
    );
  });
});

describe('the stored text', () => {
  it('has no control characters, colours or marks that turn its direction, and one line', () => {
    expect(scrub('a\u0000b\u001b[31mred\u001b[0m\r\n\tc\u202ed\u200be\u2028f', [])).toBe(
      'abred cde f',
    );
  });

  it('shows a secret no control character hides', () => {
    expect(scrub('pass\u0000word=hunter2', [])).toBe('password=***');
  });

  it('has no half surrogates', () => {
    expect(scrub('a\ud800b', [])).toBe('a\ufffdb');
  });

  it.each(['a', 'é', '…', '😀'])(
    'is at most 1 KiB of UTF-8, cut between code points: %s',
    (character) => {
      const text = scrub(character.repeat(5_000), []);

      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_024);
      expect(Buffer.byteLength(text)).toBeGreaterThan(1_015);
      expect(text.isWellFormed()).toBe(true);
      expect(text.endsWith('…')).toBe(true);
    },
  );

  it('a text that fits is left as it is', () => {
    expect(cutToBytes('é'.repeat(512), 1_024)).toBe('é'.repeat(512));
    expect(cutToBytes('abc', 2)).toBe('');
    expect(cutToBytes('abcdef', 5)).toBe('ab…');
  });

  it('keeps no half of a secret that a megabyte was cut in', () => {
    const text = `start password="${'x'.repeat(65_490)} ${jwt}${'y'.repeat(1_000_000)}`;

    expect(scrub(text, [])).toBe('start password="***');
  });

  it('the same again when scrubbed again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const once = scrub(text, ['iban']);
        expect(Buffer.byteLength(once)).toBeLessThanOrEqual(1_024);
        expect(once.isWellFormed()).toBe(true);
        expect(once).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

it.each([
  'a',
  '@',
  'a@',
  'a.',
  '://a:',
  '://',
  'password=a ',
  'password="',
  'password:{',
  'password(',
  'password\\',
  'iban=11 ',
  'iban',
  'eyJ-',
  'eyJa.',
  'authorization:',
  'cookie: a',
  'bearer a',
  'sk-',
  '"',
  "'",
  ' ',
  '\n',
  '-----BEGIN PRIVATE KEY-----',
  "Duplicate entry '",
  '\u001b[1',
  'é',
  '&key=',
  'xox',
])('a megabyte of %j takes linear time', (unit) => {
  const text = unit.repeat(Math.ceil(1_048_576 / unit.length));
  const started = performance.now();

  const clean = scrub(text, ['iban', 'cardNumber']);

  // Some 5 to 50 ms here; anything quadratic would take minutes.
  expect(performance.now() - started).toBeLessThan(1_500);
  expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(1_024);
});
