import { expect, test } from 'vitest';
import { frontPageFor } from '../src/front-page.ts';

const page = {
  title: 'A <part>',
  about: ['It runs `a & b`.'],
  links: [{ href: '/x?"y', text: 'More' }],
};
const get = (accept: string | undefined, url = '/', method = 'GET') =>
  frontPageFor({ method, url, headers: { accept } }, page);

test('only a browser that opens the address itself gets the page', () => {
  expect(get('text/html')).toBeDefined();
  expect(get('application/xhtml+xml, Text/HTML;q=0.9', '/?from=terminal', 'HEAD')).toBeDefined();
  for (const accept of [undefined, '', '*/*', 'application/json', 'text/htmlx'])
    expect(get(accept)).toBeUndefined();
  expect(get('text/html', '/api')).toBeUndefined();
  expect(get('text/html', '//')).toBeUndefined();
  expect(get('text/html', '/', 'POST')).toBeUndefined();
});

test('escapes its texts, and formats code in backticks', () => {
  const { body } = get('text/html')!;
  expect(body).toContain('<title>A &#60;part&#62;</title>');
  expect(body).toContain('<p>It runs <code>a &#38; b</code>.</p>');
  expect(body).toContain('<a href="/x?&#34;y">More</a>');
});
