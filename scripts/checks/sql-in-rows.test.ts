import { describe, expect, it } from 'vitest';
import { plantedTree } from './planted-tree.ts';
import { findSql } from './sql-in-rows.ts';

function found(files: Readonly<Record<string, string>>, pending: readonly string[] = []): string[] {
  const inSource = Object.entries(files).map(([path, text]) => [`apps/relayer/src/${path}`, text]);
  return findSql(plantedTree(['apps/relayer'], Object.fromEntries(inSource)), pending).map(
    ({ file, line, message }) => `${file.replace(/^.*\/(src|checks)\//, '')}:${line ?? ''} ${message}`,
  );
}

describe('sql-in-rows', () => {
  it.each([
    ['jobs/claim.ts', "\nawait db.query('SELECT 1');"],
    ['jobs/deep/claim.ts', '\nawait db.query<{ id: string; at: Date[] }>(`SELECT 1`);'],
    ['server.ts', "\nawait pool\n  .query('SELECT 1');"],
    ['base/database.ts', "\nawait pool.query('SELECT 1');"],
    ['jobs/rows.ts', "\nawait db.query('SELECT 1');"],
  ])('rejects SQL in %s', (path, text) => {
    const reported = found({ [path]: text });
    expect(reported).toHaveLength(1);
    expect(reported[0]).toMatch(/^\S+:[23] calls query outside of a rows\/ folder$/);
  });

  it('accepts SQL in rows/ and base/db/, tests, and other uses of the name', () => {
    const files = {
      'jobs/rows/claim.ts': "await db.query('SELECT 1');",
      'rows/all.ts': "await db.query('SELECT 1');",
      'base/db/pool.ts': "await pool.query('SELECT 1');",
      'jobs/claim.test.ts': "await db.query('SELECT 1');",
      'jobs/search.ts': 'const terms = request.query.split(separator(1));',
    };
    expect(found(files)).toEqual([]);
  });

  it('ignores a pending folder until it has no SQL outside rows/', () => {
    const sql = "await db.query('SELECT 1');";
    expect(found({ 'jobs/claim.ts': sql, 'server.ts': sql }, ['jobs', '.'])).toEqual([]);
    expect(found({ 'jobs/rows/claim.ts': sql }, ['jobs'])).toEqual([
      'sql-in-rows.ts: jobs has no SQL outside rows/; remove it from pendingFolders',
    ]);
  });
});
