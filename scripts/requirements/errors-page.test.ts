import { join } from 'node:path';
import { type ErrorCode, errorCatalogue, jobErrorCatalogue } from '@memrelay/protocol/errors';
import { expect, it } from 'vitest';
import { errorAdvice, jobErrorAdvice } from './error-advice.ts';
import { repository, root } from './repository.ts';

/** Code that responds to requests: the apps and the SDK, without tests. */
const answering = repository.code
  .filter(({ path }) => /^(?:apps\/[\w-]+|packages\/sdk)\/src\//.test(path) && !path.endsWith('.test.ts'))
  .map(({ text }) => text)
  .join('\n');

it('docs/errors.md describes every code (update it with: npx vitest run scripts/requirements -u)', async () => {
  await expect(page()).toMatchFileSnapshot(join(root, 'docs/errors.md'));
});

it('there is advice for exactly the existing codes', () => {
  expect(Object.keys(errorAdvice).sort()).toEqual(Object.keys(errorCatalogue).sort());
  expect(Object.keys(jobErrorAdvice).sort()).toEqual(Object.keys(jobErrorCatalogue).sort());
});

it('every code is used somewhere', () => {
  expect(Object.keys(errorCatalogue).filter((code) => !answering.includes(`'${code}'`))).toEqual([]);
});

it('every job code is used somewhere', () => {
  const unset = Object.keys(jobErrorCatalogue).filter((code) => !answering.includes(`'${code}'`));
  expect(unset).toEqual([]);
});

function page(): string {
  const rows = Object.entries(errorCatalogue).map(([code, { status, message, retry }]) =>
    row([`\`${code}\``, String(status), message, retry ? 'yes' : 'no', errorAdvice[code as ErrorCode]!]),
  );
  const jobRows = Object.entries(jobErrorCatalogue).map(([code, message]) =>
    row([`\`${code}\``, message, jobErrorAdvice[code]!]),
  );
  return `<!-- Made from packages/protocol/src/errors.ts and scripts/requirements/error-advice.ts. Do not edit here. -->

# Errors

Every 4xx and 5xx response of the relayer has this body:

\`\`\`json
{
  "error": "invalid_request",
  "message": "items: must have at most 20",
  "request_id": "0b7c8c4e-2f3b-4f4e-9d5a-1a2b3c4d5e6f",
  "details": { "issues": [{ "path": "items", "message": "must have at most 20" }] }
}
\`\`\`

Branch on \`error\`, never on \`message\`: codes are stable, messages are not. The message of an \`invalid_request\` names the first issue; \`details.issues\` lists all of them, up to 20. \`request_id\` is also in the \`x-request-id\` header and in the server's log. \`details\` is included only where it helps.

"Retry" says whether the same request may succeed later without a change. If so, wait as long as \`Retry-After\` says and sign every attempt with a new nonce. The SDK does both. A code that is not listed here comes from a newer server: handle it by its status.

| Code | Status | Meaning | Retry | What to do |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

## Errors of a memory job

A job that failed, or whose last attempt failed, carries \`error\` (the message, a string) and \`error_code\` (one of these codes). Clients poll jobs, so these codes have no HTTP status.

| Code | Meaning | What to do |
| --- | --- | --- |
${jobRows.join('\n')}

The SDK's own codes are listed on [its page](../packages/sdk/README.md#errors). The blob store uses a different error format: that of the Walrus publisher and aggregator.
`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
