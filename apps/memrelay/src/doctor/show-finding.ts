import type { Style } from '../terminal/colours.ts';
import type { Output } from '../terminal/output.ts';
import { wrap } from '../terminal/plain-text.ts';
import type { Finding } from './check.ts';

const marks: Readonly<Record<Finding['state'], readonly [mark: string, style: Style]>> = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  failed: ['✗', 'red'],
  skipped: ['-', 'dim'],
};

/** Shows a finding with its next step, as text or as a line of JSON. */
export function showFinding(output: Output, check: string, { state, detail, fix }: Finding): void {
  output.result({ check: check.toLowerCase().replaceAll(' ', '_'), state, detail, ...(fix ? { fix } : {}) });
  const [mark, style] = marks[state];
  const lines = wrap(`${mark} ${check}: ${detail}`, output.width - 4);
  const text = lines.map((line, i) => (i === 0 ? line : `    ${line}`)).join('\n');
  output.line(output.paint(style, mark) + text.slice(mark.length));
  if (fix)
    for (const [i, line] of wrap(fix, output.width - 8).entries())
      output.line(`${i === 0 ? '    → ' : '      '}${line}`);
}
