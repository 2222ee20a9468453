import { delegateAddress } from '@memrelay/chain/delegate-key';
import { fromHex } from '@memrelay/protocol/bytes';
import { describe, expect, it } from 'vitest';
import { parseQueryLink } from '../src/sign-in/query-link.ts';

const publicKey = 'd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737';
const address = delegateAddress(fromHex(publicKey));
const link = (change: Record<string, string | undefined> = {}): string => {
  const parameters = {
    port: '53123',
    publicKey,
    delegateAddress: address,
    label: 'Claude Code & co',
    relayer: 'http://127.0.0.1:8000',
    state: 'abcdef0123456789',
    ...change,
  };
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `?${new URLSearchParams(given)}`;
};

describe('a sign-in link in query form', () => {
  it('contains the key that the tool created and the port where it waits', () => {
    const expected = {
      port: 53_123,
      publicKey,
      delegateAddress: address,
      label: 'Claude Code & co',
      relayerUrl: 'http://127.0.0.1:8000',
      state: 'abcdef0123456789',
    };
    expect(parseQueryLink(link())).toEqual(expected);
    expect(parseQueryLink(link({ publicKey: `0x${publicKey.toUpperCase()}`, other: 'x' }))).toEqual(expected);
  });

  it.each<[string, string]>([
    ['without a port', link({ port: undefined })],
    ['with a port of the system', link({ port: '80' })],
    ['with a host in the port', link({ port: '53123@evil.example' })],
    ['with a port that is a URL', link({ port: 'http://evil.example' })],
    ['with two ports', `${link()}&port=53124`],
    ['with a key of another address', link({ delegateAddress: `0x${'a'.repeat(64)}` })],
    ['with an invalid key', link({ publicKey: 'xyz' })],
    ['without a state', link({ state: undefined })],
    ['with a short state', link({ state: 'abc' })],
    ['with a state of two lines', link({ state: 'abcdefgh\nabcdefgh' })],
    ['without a label', link({ label: ' ' })],
    ['with a label of 65 bytes', link({ label: 'x'.repeat(65) })],
    ['with a relayer that is a script', link({ relayer: 'javascript:alert(1)' })],
    ['with a relayer behind a name', link({ relayer: 'http://127.0.0.1:8000@evil.example' })],
  ])('is refused %s', (_, query) => {
    expect(() => parseQueryLink(query)).toThrow(/link|port|publicKey|delegateAddress|state|label|relayer/);
  });
});
