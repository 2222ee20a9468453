import { ownStatements } from '@memrelay/capture/own-statements';
import { expect, test } from 'vitest';

test.each([
  'I prefer tabs over spaces.',
  'We deploy the shop on Fridays, after the stand-up.',
  'Remember that the staging database is read-only.',
  'From now on, write commit messages in the imperative.',
  'Always run the linter before you commit.',
  'Our API gateway uses Envoy.',
  'The production database runs on Postgres 17.',
  "I'm allergic to nuts.",
  "We don't use semicolons in this project.",
  'My daughter is called Ana.',
])('keeps what is meant to last: %s', (text) => {
  expect(ownStatements(text)).toEqual([text]);
});

test.each([
  'Fix the login bug.',
  'Can you rename this function?',
  "I'm getting a 500 from the endpoint.",
  'I want you to refactor the parser.',
  'We are running into a timeout again.',
  'TypeError: cannot read properties of undefined, our code is wrong',
  'yes please',
  'Thanks!',
  '```\nconst x = "we use tabs";\n```',
  '> our service is quoted',
  'I like how that looks, but could you also change the colour?',
])('leaves out what is about this moment: %s', (text) => {
  expect(ownStatements(text)).toEqual([]);
});

test('takes the lasting sentences out of a longer message, each once', () => {
  const text =
    'Add a retry to the client. We use undici for HTTP, so no axios. It fails on 503.\n\n- We use undici for HTTP, so no axios.\n- The tests are in test/.';
  expect(ownStatements(text)).toEqual(['We use undici for HTTP, so no axios.', 'The tests are in test/.']);
});
