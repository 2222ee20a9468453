import { expect, test } from 'vitest';
import { allRows } from '../conformance/rows/all-rows.ts';
import { runRow } from '../conformance/run-row.ts';
import { openSession } from '../conformance/session.ts';
import { createDocumentCheck } from './api-document.ts';
import { startLocalnet } from './localnet-process.ts';
import { startStore } from './running-store.ts';

test('passes the conformance rows with a chain', { timeout: 180_000 }, async () => {
  const localnet = await startLocalnet();
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => localnet.stop());
  const store = await startStore({ chain: await localnet.chainOptions() });
  cleanUp.defer(() => store.close());
  const { url } = store;
  const document = createDocumentCheck();
  const session = await openSession({
    publisher: url,
    aggregator: url,
    relay: url,
    shards: 31,
    observer: document.observe,
  });
  const failed: string[] = [];
  let passed = 0;
  for (const row of allRows) {
    const { outcome, reason } = await runRow(session, row);
    if (outcome === 'holds') passed += 1;
    if (outcome === 'fails') failed.push(`${row.section}: ${row.name}: ${reason}`);
  }
  expect(failed).toEqual([]);
  expect([...document.problems]).toEqual([]);
  expect(passed).toBeGreaterThan(150);
});
