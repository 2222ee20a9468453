import { countedSecrets, countSecrets, prepareText } from '@memrelay/capture/prepare-text';
import { expect, test } from 'vitest';

/** Not real secrets. In parts, so that scanners of this repository do not report them. */
const secrets: readonly [kind: string, text: string, secret: string][] = [
  ['aws-access-token', 'use %s for the bucket', `AKIA${'IOSFODNN7QXAMPLA'}`],
  ['github-pat', 'my token: %s', `ghp_${'016C7A2bD3e4F5g6H7i8J9k0L1m2N3o4P5q6'}`],
  ['stripe-access-token', 'STRIPE=%s', `sk_live_${'4eC39HqLyjWDarjtT1zdp7dc'}`],
  [
    'private-key',
    'here: %s',
    `-----BEGIN OPENSSH PRIVATE ${'KEY-----'}\nb3BlbnNzaC1rZXktdjEAAAAA\nAAAABG5vbmU`,
  ],
  [
    'sui-private-key',
    'wallet %s',
    `suiprivkey1${'qz7c5vl8mxr0e2w9dkfj3h4nst6yupaqz7c5vl8mxr0e2w9dkfj3h4nst'}`,
  ],
  ['url-password', 'connect to postgres://shop:%s@db.example/shop', 's3cr3t-pw'],
  ['authorization-header', 'send "Authorization: Bearer %s"', 'mF9B5f41JqM2x7Rt8w0z'],
  ['curl-auth-user', 'curl -u admin:%s https://intranet.example', 'letmein99'],
  ['password', 'My password is %s.', 'hunter2'],
  ['password', 'the wifi password at home is %s', 'swordfish'],
  ['password', 'DB_PASSWORD=%s', 'test1'],
  ['password', 'passphrase: "%s"', 'correct horse battery staple'],
  ['password', 'Mein Passwort für das Portal ist %s!', 'Geheim99'],
  ['password', 'mysql -u root -p%s shop', 'S3cret!'],
  ['pin', 'my PIN is %s', '4821'],
  [
    'token',
    'the delegate private key is %s',
    '5f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5',
  ],
  [
    'seed-phrase',
    'my seed phrase: %s',
    'abandon ability able about above absent absorb abstract absurd abuse access accident',
  ],
];

test.each(secrets)('masks and counts a secret of kind %s in "%s"', (kind, text, secret) => {
  const prepared = prepareText(text.replace('%s', secret));
  expect(prepared.text).toContain(`[masked: ${kind}]`);
  for (const part of secret.split(/\s/)) expect(prepared.text).not.toContain(part);
  expect(prepared.masked).toEqual([{ kind, count: 1 }]);
  expect(JSON.stringify(prepared.masked)).not.toContain(secret);
});

test.each([
  'The password is required, and stored in the keychain.',
  'password: string; token: string | undefined',
  'const password = await askForPassword()',
  'DB_PASSWORD=$DB_PASSWORD and api_key: process.env.API_KEY',
  'The key to the shed is under the mat, and the secret to good bread is time.',
  'We signed the contract on 2026-05-08; the ticket is ABC-1234.',
  'commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke the build',
  'see https://docs.example/api/keys?page=2#tokens',
])('leaves a text without secrets alone: %s', (text) => {
  expect(prepareText(text)).toEqual({ text, masked: [], privateSections: 0 });
});

test('removes private sections before it looks for secrets', () => {
  const text = 'We use tabs. <private>my password is hunter2</private> Deploys are on Fridays.';
  expect(prepareText(text)).toEqual({
    text: 'We use tabs.  Deploys are on Fridays.',
    masked: [],
    privateSections: 1,
  });
});

test.each([
  ['an unclosed section', 'open <private>closed for good', 'open '],
  ['a section in a section', 'a <PRIVATE>b <private>c</private> d</Private> e', 'a  e'],
  ['a closing tag without an opening one', 'cut off here</private> after', ' after'],
  ['a tag with attributes', 'a <private why="x">b</private >c', 'a c'],
])('removes %s', (_, text, left) => {
  expect(prepareText(text).text).toBe(left);
});

test('removes private sections even when masking is off', () => {
  const text = 'My password is hunter2. <private>x</private>';
  expect(prepareText(text, { maskSecrets: false })).toEqual({
    text: 'My password is hunter2. ',
    masked: [],
    privateSections: 1,
  });
});

test('counts what it found by kind, in words without the secrets', () => {
  const counts = countSecrets('my password is hunter2, my old password was hunter3, my PIN is 4821');
  expect(counts).toEqual([
    { kind: 'password', count: 2 },
    { kind: 'pin', count: 1 },
  ]);
  expect(countedSecrets(counts)).toBe('3 secrets (2 password, pin)');
});
