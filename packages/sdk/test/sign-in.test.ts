import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import { describe, expect, it } from 'vitest';
import {
  type HandOver,
  openHandOver,
  parseHandOverCode,
  sealHandOver,
} from '../src/account/sign-in/hand-over.ts';
import { shortCode } from '../src/account/sign-in/short-code.ts';
import {
  parseSignInFragment,
  type SignInRequest,
  signInFragment,
} from '../src/account/sign-in/sign-in-request.ts';

const p = nodePrimitives;
const privateKey = p.randomBytes(32);
const keyPair = { privateKey, publicKey: p.x25519PublicKey(privateKey) };
const request: SignInRequest = {
  publicKey: keyPair.publicKey,
  port: 53_123,
  state: p.randomBytes(32),
  challenge: p.randomBytes(32),
  expiresAt: 1_900_000_000,
  label: 'Claude Code & co #1',
  relayerUrl: 'http://127.0.0.1:8000',
};
const id = (digit: string): string => `0x${digit.repeat(64)}`;
const scope: HandOver['scope'] = {
  perms: 3,
  all_namespaces: false,
  tags: Array.from({ length: 16 }, (_, i) => new Uint8Array(16).fill(i + 1)),
  min_epoch: 0n,
  expires_at_ms: 1_900_000_000_000n,
};
const handOver = {
  privateKey: p.randomBytes(32),
  accountId: id('a'),
  walletAddress: id('b'),
  packageId: id('c'),
  scope,
};
const sealed = (): string => sealHandOver(portablePrimitives, request, handOver);
const open = (code: string, asked = request, keys = keyPair): unknown =>
  openHandOver(p, keys, asked, parseHandOverCode(code));

describe('a sign-in link', () => {
  it('contains the complete request in its fragment', () => {
    const fragment = signInFragment(request);
    expect(parseSignInFragment(`#${fragment}`)).toEqual(request);
    expect(parseSignInFragment(`${fragment}&pairing=abc`)).toEqual(request);
  });

  it('has a short code that changes with any part of the request', () => {
    const code = shortCode(request);
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(shortCode(parseSignInFragment(signInFragment(request)))).toBe(code);
    for (const change of [
      { publicKey: p.x25519PublicKey(p.randomBytes(32)) },
      { state: p.randomBytes(32) },
      { challenge: p.randomBytes(32) },
      { port: 53_124 },
      { label: 'Something else' },
      { relayerUrl: 'http://127.0.0.1:8001' },
    ])
      expect(shortCode({ ...request, ...change })).not.toBe(code);
  });

  it.each([
    ['no fragment', () => ''],
    ['another version', (link: string) => link.replace('v=1', 'v=2')],
    ['a short key', (link: string) => link.replace(/key=..../, 'key=')],
    ['two states', (link: string) => `${link}&state=x`],
    ['a port of the system', (link: string) => link.replace('port=53123', 'port=80')],
    ['a port that is none', (link: string) => link.replace('port=53123', 'port=5e4')],
    ['a label of 65 bytes', (link: string) => link.replace(/label=[^&]*/, `label=${'x'.repeat(65)}`)],
    [
      'a relayer that is a script',
      (link: string) => link.replace(/relayer=.*/, 'relayer=javascript:alert(1)'),
    ],
    [
      'a relayer behind a name',
      (link: string) => link.replace(/relayer=.*/, 'relayer=http://127.0.0.1:8000@evil.example'),
    ],
  ])('is rejected with %s', (_, change) => {
    expect(() => parseSignInFragment(change(signInFragment(request)))).toThrow();
  });
});

describe('a sealed hand-over', () => {
  it('can be opened by the requesting tool, completely, and fits a terminal line', () => {
    const code = sealed();
    expect(code.length).toBeLessThan(1_000);
    expect(open(code)).toEqual(handOver);
    expect(open(`  ${code.slice(0, 100)}\n${code.slice(100)}\r\n`)).toEqual(handOver);
    expect(parseHandOverCode(code)).toMatchObject({ port: request.port, state: request.state });
    expect(parseHandOverCode(`npx memrelay-mcp login --code ${code}`)).toEqual(parseHandOverCode(code));
  });

  it('does not open for another key', () => {
    const other = p.randomBytes(32);
    expect(
      open(sealed(), request, { privateKey: other, publicKey: p.x25519PublicKey(other) }),
    ).toBeUndefined();
  });

  it.each<[string, Partial<SignInRequest>]>([
    ['state', { state: p.randomBytes(32) }],
    ['challenge', { challenge: p.randomBytes(32) }],
    ['port', { port: 53_124 }],
    ['label', { label: 'Something else' }],
    ['relayer', { relayerUrl: 'http://127.0.0.1:8001' }],
  ])('does not open if the page got a different %s', (_, change) => {
    expect(open(sealed(), { ...request, ...change })).toBeUndefined();
  });

  it('does not open with any byte changed', () => {
    const code = parseHandOverCode(sealed());
    for (const part of ['enc', 'ciphertext'] as const)
      for (let at = 0; at < code[part].length; at += 7) {
        const changed = { ...code, [part]: code[part].with(at, code[part][at]! ^ 1) };
        expect(openHandOver(p, keyPair, request, changed)).toBeUndefined();
      }
  });

  it.each(['', 'hello', 'mr1.', 'mr1.!!!!', 'mr1.AAAA', `mr1.${'A'.repeat(5_000)}`])(
    'rejects as a code: %s',
    (text) => {
      expect(() => parseHandOverCode(text)).toThrow(/code/);
    },
  );
});
