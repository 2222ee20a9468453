import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { explanationLine, hitLines } from '../src/commands/recall.ts';
import { progressText } from '../src/import/progress-text.ts';
import { hasColours, painter } from '../src/terminal/colours.ts';
import { dataSize } from '../src/terminal/data-size.ts';
import { createOutput } from '../src/terminal/output.ts';
import { columns, plainText } from '../src/terminal/plain-text.ts';

function captured(terminal: { columns: number } | undefined, json = false) {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  Object.assign(streams.stdout, terminal ? { isTTY: true, ...terminal } : {});
  const output = createOutput({ json }, streams as unknown as Parameters<typeof createOutput>[1] & object);
  return {
    output,
    text: (): string => String(streams.stdout.read() ?? ''),
    errors: () => String(streams.stderr.read() ?? ''),
  };
}

describe('without a terminal', () => {
  it('writes plain lines without escape codes', () => {
    const { output, text } = captured(undefined);
    output.step('Storing');
    output.progress(() => '1 of 2');
    output.progress(() => '2 of 2');
    output.done();
    output.line('Done.');
    expect(text()).toBe('Storing …\n1 of 2\nDone.\n');
  });

  it('with --json writes only JSON lines', () => {
    const { output, text } = captured(undefined, true);
    output.step('Storing');
    output.progress(() => '1 of 2');
    output.line('Done.');
    output.result({ stored: 2 });
    output.done();
    expect(text()).toBe('{"stored":2}\n');
  });
});

describe('on a terminal', () => {
  const lines = (text: string): string[] =>
    text
      .split(/\n|\r/)
      .map((line) => stripVTControlCharacters(line))
      .filter((line) => line !== '');

  it('never writes a line that wraps', () => {
    const { output, text } = captured({ columns: 24 });
    output.step('Starting the local network (chain and key servers)');
    output.progress((width) => 'x'.repeat(width + 10));
    for (const line of lines(text())) expect(line.length).toBeLessThan(24);
    output.done();
  });

  it('marks a step as done or failed, with the output of the parts above it', () => {
    const { output, text, errors } = captured({ columns: 80 });
    output.step('One');
    output.step('Two');
    output.partOutput('relayer', 'first\nsecond\n');
    output.abandon();
    expect(errors()).toBe('[relayer] first\n[relayer] second\n');
    const shown = lines(text());
    expect(shown.find((line) => line.startsWith('✓ One'))).toBeDefined();
    expect(shown.at(-1)).toMatch(/^✗ Two \(/);
  });
});

describe('colours', () => {
  it('follow the terminal, NO_COLOR, FORCE_COLOR and TERM', () => {
    const terminal = { isTTY: true };
    expect(hasColours(terminal, {})).toBe(true);
    expect(hasColours({}, {})).toBe(false);
    expect(hasColours(terminal, { NO_COLOR: '1' })).toBe(false);
    expect(hasColours(terminal, { NO_COLOR: '' })).toBe(true);
    expect(hasColours(terminal, { TERM: 'dumb' })).toBe(false);
    expect(hasColours({}, { FORCE_COLOR: '1' })).toBe(true);
    expect(hasColours(terminal, { FORCE_COLOR: '0' })).toBe(false);
    expect(hasColours({}, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
  });

  it('do not move columns', () => {
    const paint = painter({ isTTY: true }, {});
    const [first, second] = columns([
      [paint('cyan', 'ab'), 'x'],
      ['abcd', 'y'],
    ]);
    expect(stripVTControlCharacters(first!)).toBe('ab    x');
    expect(second).toBe('abcd  y');
  });
});

describe('text of a memory', () => {
  it('cannot control the terminal', () => {
    expect(plainText('a\u001b[31mred\u0007\r\nb\u202ec')).toBe('a[31mred bc');
  });

  it('is shown with an explanation of its rank', () => {
    const keywords = { rank: 1, score: 0.8734, terms: 3 };
    expect(explanationLine({ vector: { score: 0.41 }, keywords, vectorShare: 0.1 })).toBe(
      "vector not among the first (0.410), words no. 1 (0.873, 3 of the question's), vector counts 10 %",
    );
    expect(explanationLine({ vector: { rank: 2, score: 0.41 }, vectorShare: 1 })).toBe(
      'vector no. 2 (0.410), vector counts 100 %',
    );
  });

  it('is wrapped and indented, and in a narrow terminal placed below its number', () => {
    const hit = {
      id: 'a',
      text: `one ${'word '.repeat(20)}`,
      distance: 0.25,
      createdAt: '2026-03-02T10:00:00Z',
    };
    const wide = hitLines(hit, 1, 80);
    expect(wide[0]).toMatch(/^ 1\. {2}0\.750 {2}2026-03-02 {2}one word/);
    expect(wide[1]).toMatch(/^ {24}word/);
    expect(wide.at(-1)).toBe(`${' '.repeat(24)}id a`);
    const narrow = hitLines(hit, 1, 30);
    expect(narrow[0]).toBe(' 1.  0.750  2026-03-02');
    for (const line of [...wide, ...narrow]) expect(line.length).toBeLessThanOrEqual(80);
    for (const line of narrow) expect(line.length).toBeLessThanOrEqual(30);
  });
});

it('an import shows count, rate and remaining time, and omits the bar if it does not fit', () => {
  let now = 0;
  const text = progressText(true, () => now);
  text.update({ total: 100, accepted: 20, stored: 0, known: 0, failed: 0 });
  now = 2_000;
  text.update({ total: 100, accepted: 60, stored: 19, known: 0, failed: 1 });
  expect(text.render(80)).toMatch(/^█+▒+░+ 20\/100 stored · 10\/s · 8 s left · 1 failed$/);
  expect(text.render(45)).toBe('20/100 stored · 10/s · 8 s left · 1 failed');
});

it('an amount of data has a suitable unit', () => {
  const amounts = [0, 999, 1_000, 12_345, 4_000_000, 1.5e9, 2e15].map(dataSize);
  expect(amounts).toEqual(['0 B', '999 B', '1.0 KB', '12.3 KB', '4.0 MB', '1.5 GB', '2000.0 TB']);
});
