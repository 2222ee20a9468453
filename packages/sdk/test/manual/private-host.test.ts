import { isLoopbackHost } from '@memrelay/protocol/loopback-host';
import { expect, it } from 'vitest';
import { isPrivateHost } from '../../src/manual/private-host.ts';

const hostOf = (authority: string): string => new URL(`http://${authority}/`).hostname;

it.each([
  '127.0.0.1',
  '127.1',
  '0x7f.1',
  '2130706433',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  'localhost',
  'LOCALHOST.',
  'api.localhost',
  'printer.local',
  'metadata.google.internal',
  '[::]',
  '[::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::a00:1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[ff02::1]',
])('%s is private', (authority) => expect(isPrivateHost(hostOf(authority))).toBe(true));

it.each([
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.0.1.1',
  '192.167.255.255',
  '223.255.255.255',
  'aggregator.example',
  'localhost.example',
  'local.example',
  '[2606:4700::1111]',
  '[::ffff:1.1.1.1]',
])('%s is public', (authority) => expect(isPrivateHost(hostOf(authority))).toBe(false));

it('knows this machine', () => {
  for (const authority of ['localhost', '127.0.0.1', '127.8.8.8', '[::1]'])
    expect(isLoopbackHost(hostOf(authority))).toBe(true);
  for (const authority of ['10.0.0.1', 'localhost.example', '[::2]', '127.0.0.1.example'])
    expect(isLoopbackHost(hostOf(authority))).toBe(false);
});
