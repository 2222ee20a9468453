import { expect, test } from 'vitest';
import { pageAccess } from '../src/page-access.ts';

const page = 'http://localhost:5173';
const evil = 'https://evil.example';
const preflight = (method: string, origin: string) => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': method },
});

test.each([
  ['a page that reads', { method: 'GET', headers: { origin: evil } }, '*'],
  ['a page that asks whether it may read', preflight('GET', evil), '*'],
  ['a program that writes', { method: 'PUT', headers: {} }, undefined],
  ['a listed page that writes', { method: 'POST', headers: { origin: page } }, page],
  ['a listed page that asks whether it may write', preflight('PUT', page), page],
])('allows %s', (_what, request, allowOrigin) =>
  expect(pageAccess(request, [page])).toEqual({ refused: false, allowOrigin }),
);

test.each([
  ['a page that writes', { method: 'POST', headers: { origin: evil } }],
  ['a sandboxed page that writes', { method: 'POST', headers: { origin: 'null' } }],
  ['a page that asks whether it may write', preflight('PUT', evil)],
  ['a listed page under another port', { method: 'DELETE', headers: { origin: `${page}0` } }],
  ['two origins', { method: 'POST', headers: { origin: `${page}, ${page}` } }],
])('rejects %s', (_what, request) =>
  expect(pageAccess(request, [page])).toEqual({ refused: true, allowOrigin: undefined }),
);

test('allows everything without a list', () =>
  expect(pageAccess({ method: 'PUT', headers: { origin: evil } }, undefined)).toEqual({
    refused: false,
    allowOrigin: '*',
  }));
