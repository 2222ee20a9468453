import { describe, expect, test } from 'vitest';
import { createHostRules, type HostRequest, parseAllowedHost } from '../src/host-rules.ts';

const remote = { remoteAddress: '203.0.113.9', localAddress: '10.0.0.2' };
const local = { remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' };

function request(hosts: string | string[], parts: Partial<HostRequest> = {}): HostRequest {
  const rawHeaders = [hosts].flat().flatMap((host) => ['Host', host]);
  return { rawHeaders, httpVersion: '1.1', url: '/', socket: remote, ...parts };
}

describe('a loopback listener', () => {
  const { check } = createHostRules({ isLoopback: true });

  test.each(['localhost', 'LOCALHOST:8000', '127.0.0.1', '127.0.0.1:1', '[::1]', '[::1]:8000', 'localhost:'])(
    'accepts %s',
    (host) => expect(check(request(host))).toBe('allowed'),
  );

  test.each([
    'evil.example',
    'evil.example:8000',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'localhost.',
    'evil.localhost',
    'user@localhost',
    'localhost@evil.example',
    'localhost:80:80',
    'localhost, evil.example',
    'localhost/evil.example',
    'localhost#.evil.example',
    ' localhost',
    '::1',
    '[::1',
    '[::1].evil.example',
    '[::ffff:127.0.0.1]',
    '[::]',
    '0.0.0.0',
    '127.1',
    '127.0.0.2',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '192.168.1.10',
  ])('rejects %s', (host) => expect(check(request(host))).toBe('refused'));

  test.each([
    ['http://evil.example/path', 'localhost', 'refused'],
    ['HTTP://evil.example', 'localhost', 'refused'],
    ['http://localhost@evil.example/', 'localhost', 'refused'],
    ['http:///path', 'localhost', 'refused'],
    ['http://localhost/path', 'evil.example', 'refused'],
    ['http://localhost:8000/path', 'localhost:8000', 'allowed'],
    ['/http://evil.example/', 'localhost', 'allowed'],
  ])('target %s with Host %s is %s', (url, host, verdict) =>
    expect(check(request(host, { url }))).toBe(verdict),
  );

  test('requires exactly one Host header in HTTP/1.1', () => {
    expect(check(request([]))).toBe('malformed');
    expect(check(request(''))).toBe('malformed');
    expect(check(request(['localhost', 'localhost']))).toBe('malformed');
    expect(check(request(['localhost', 'evil.example'], { httpVersion: '1.0' }))).toBe('malformed');
    expect(check(request([], { httpVersion: '1.0' }))).toBe('allowed');
  });

  test('accepts its own address and allowed names', () => {
    const other = createHostRules({
      isLoopback: true,
      listenHost: '127.0.0.2',
      allowedHosts: ['api.example.com'],
    });
    expect(other.check(request('127.0.0.2:8000'))).toBe('allowed');
    expect(other.check(request('api.example.com'))).toBe('allowed');
    expect(other.check(request('www.example.com'))).toBe('refused');
  });
});

describe('a listener for other machines', () => {
  const allowedHosts = ['api.example.com', 'Other.Example.com.:8443', 'tls.example.com:443', '[FD00::0:1]'];
  const { check } = createHostRules({ isLoopback: false, listenHost: '10.0.0.2', allowedHosts });

  test.each([
    'api.example.com',
    'API.example.com.:9999',
    'other.example.com:8443',
    'tls.example.com',
    'tls.example.com:443',
    '[fd00::1]:80',
  ])('accepts %s', (host) => expect(check(request(host))).toBe('allowed'));

  test.each([
    'example.com',
    'api.example.com.evil.example',
    'other.example.com',
    'other.example.com:80',
    'tls.example.com:80',
    'localhost',
    '127.0.0.1:8000',
    '10.0.0.2',
  ])('rejects %s', (host) => expect(check(request(host))).toBe('refused'));

  test('accepts loopback names and its own address only from this machine', () => {
    for (const host of ['localhost:8000', '127.0.0.1', '[::1]', '10.0.0.2:8000']) {
      expect(check(request(host, { socket: local }))).toBe('allowed');
      expect(check(request(host, { socket: { ...local, remoteAddress: '::ffff:127.0.0.1' } }))).toBe(
        'allowed',
      );
      expect(check(request(host, { socket: { remoteAddress: '10.0.0.2', localAddress: '10.0.0.2' } }))).toBe(
        'allowed',
      );
      expect(check(request(host))).toBe('refused');
    }
    expect(check(request('evil.example', { socket: local }))).toBe('refused');
  });

  test('accepts any name if none is listed', () => {
    const open = createHostRules({ isLoopback: false, listenHost: '0.0.0.0' });
    expect(open.check(request('whatever.example'))).toBe('allowed');
    expect(open.check(request([]))).toBe('malformed');
  });
});

test.each([
  ['bücher.example', { name: 'xn--bcher-kva.example', port: '' }],
  ['10.0.0.5:8000', { name: '10.0.0.5', port: '8000' }],
  ['[::1]:8000', { name: '[::1]', port: '8000' }],
  ['a.example:80', { name: 'a.example', port: '80' }],
  ['https://a.example', undefined],
  ['a.example/path', undefined],
  ['*.example', undefined],
  ['*', undefined],
  ['user@a.example', undefined],
  ['a.example:x', undefined],
  ['a.example:99999', undefined],
  ['::1', undefined],
  ['', undefined],
])('an allowed host of %s is read as %o', (entry, host) => expect(parseAllowedHost(entry)).toEqual(host));
