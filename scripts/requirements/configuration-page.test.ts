import { join } from 'node:path';
import {
  declaredVariables,
  knownVariables,
  variableSections,
  variablesOf,
} from '@memrelay/protocol/variables';
import type { VariableDeclaration } from '@memrelay/protocol/variables/declaration';
import { defaultText, formText } from '@memrelay/protocol/variables/form-text';
import { expect, it } from 'vitest';
import { declaredDefaults } from './declared-names.ts';
import { repository, root } from './repository.ts';

const page = 'docs/configuration.md';

it('docs/configuration.md has the table of variables (update it with: npx vitest run scripts/requirements -u)', async () => {
  await expect(withTables(repository.read(page))).toMatchFileSnapshot(join(root, page));
});

it('every variable is in one section', () => {
  const names = variableSections.flatMap(({ variables }) => Object.keys(variables));
  expect(names.toSorted()).toEqual([...knownVariables].sort());
});

it('every variable is read', () => {
  const code = repository.code
    .filter(({ path }) => /^(?:apps|packages)\/[\w-]+\/src\//.test(path) && !path.includes('/variables'))
    .map(({ text }) => text)
    .join('\n');
  const unread = Object.keys(declaredVariables).filter((name) => !new RegExp(`\\b${name}\\b`).test(code));
  expect(unread).toEqual([]);
});

it('the sidecar has the same defaults', () => {
  const inCode = declaredDefaults(repository.read('apps/sidecar/src/config/config.ts'));
  const own = variablesOf('sidecar').filter((name) => inCode.has(name));
  expect(own.length).toBeGreaterThan(5);
  const defaults = own.map((name) => [name, (declaredVariables[name] as VariableDeclaration).default]);
  expect(defaults).toEqual(own.map((name) => [name, String(inCode.get(name))]));
});

/** The page with each table written again. Throws if a section has no heading or no table. */
function withTables(text: string): string {
  const table = /\| Variable \|.*\n\| -.*\n(?:\|.*\n)+/;
  return variableSections.reduce((before, { title, variables }) => {
    const parts = before.split(`\n## ${title}\n`);
    const [start = '', rest] = parts;
    if (parts.length !== 2 || rest === undefined) throw new Error(`${page} has no section "${title}"`);
    const end = rest.indexOf('\n## ');
    const section = end === -1 ? rest : rest.slice(0, end);
    if (!table.test(section)) throw new Error(`${page}: the section "${title}" has no table`);
    const rows = Object.entries(variables).map(([name, each]) => row(name, each));
    const written = `| Variable | Default | Values | Meaning |\n| --- | --- | --- | --- |\n${rows.join('')}`;
    return `${start}\n## ${title}\n${section.replace(table, () => written)}${rest.slice(section.length)}`;
  }, text);
}

function row(name: string, variable: VariableDeclaration): string {
  const cells = [`\`${name}\``, defaultText(variable), formText(variable.form), variable.meaning];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`.replaceAll('|  |', '| |');
}
