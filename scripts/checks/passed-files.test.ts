import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { comparePassedFiles } from './passed-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'memrelay-passed-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const compare = (files: Record<string, string>, settings = ['v1']) =>
  comparePassedFiles(
    join(folder, 'cache', 'passed.json'),
    settings,
    Object.entries(files).map(([path, text]) => ({ path, text })),
  );

it('reports all files at first, then only files with new contents', () => {
  const first = compare({ 'a.ts': '1', 'b.ts': '2' });
  expect(first.changed).toEqual(['a.ts', 'b.ts']);
  first.save();
  expect(compare({ 'a.ts': '1', 'b.ts': '2' }).changed).toEqual([]);
  expect(compare({ 'a.ts': '1', 'b.ts': '3', 'c.ts': '2' }).changed).toEqual(['b.ts', 'c.ts']);
});

it('reports a file again until its check has passed', () => {
  compare({ 'a.ts': '1' }).save();
  expect(compare({ 'a.ts': 'wrong' }).changed).toEqual(['a.ts']);
  expect(compare({ 'a.ts': 'wrong' }).changed).toEqual(['a.ts']);
  expect(compare({ 'a.ts': '1' }).changed).toEqual([]);
});

it('reports all files after a change of the settings, or when the record is damaged', () => {
  compare({ 'a.ts': '1' }).save();
  expect(compare({ 'a.ts': '1' }, ['v2']).changed).toEqual(['a.ts']);
  writeFileSync(join(folder, 'cache', 'passed.json'), '{"key":');
  expect(compare({ 'a.ts': '1' }).changed).toEqual(['a.ts']);
});
