import { parseEnv } from 'node:util';
import { costAlone, costQuilted } from '@memrelay/chain/storage-cost';
import type { WalrusTariff } from '@memrelay/chain/walrus-prices';
import { encodedBlobLength, storageUnits } from '@memrelay/chain/walrus-sizes';
import { declaredVariables } from '@memrelay/protocol/variables';
import type { VariableDeclaration } from '@memrelay/protocol/variables/declaration';
import type { Command } from 'commander';
import { envelopeBytes } from 'memrelay/cost/envelope-bytes';
import { createProgram } from 'memrelay/program';
import { expect, it } from 'vitest';
import { codeBlocks } from './markdown.ts';
import { repository } from './repository.ts';

/** Checks that `docs/going-to-mainnet.md` is correct; an end-to-end test starts a relayer with its environment. */

const page = repository.read('docs/going-to-mainnet.md');
const environment = codeBlocks(page).find(({ language }) => language === 'env')!.code;

it('the environment of docs/going-to-mainnet.md has every variable of a relayer, once', () => {
  const wanted = Object.entries<VariableDeclaration>(declaredVariables)
    .filter(([, { readBy }]) => readBy.includes('relayer') || readBy.includes('sidecar'))
    .filter(([, { meaning }]) => !meaning.startsWith('deprecated'))
    .map(([name]) => name);
  const shown = [...environment.matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name!);
  expect(shown.toSorted()).toEqual(wanted.toSorted());
});

it('its commented-out lines show the defaults', () => {
  const commented = parseEnv(environment.replace(/^[A-Z].*$/gm, '').replace(/^#(?=[A-Z])/gm, ''));
  const variables: Readonly<Record<string, VariableDeclaration>> = declaredVariables;
  for (const [name, value] of Object.entries(commented))
    if (variables[name]?.default) expect([name, value]).toEqual([name, variables[name].default]);
});

/** The page's assumptions */
const tariff: WalrusTariff = {
  storage: 100_000n,
  write: 20_000n,
  nShards: 1000,
  epoch: 0,
  maxEpochsAhead: 53,
};
const envelope = envelopeBytes(300);
const both = (epochs: number) =>
  [costAlone(1000, envelope, epochs, tariff), costQuilted(1000, envelope, epochs, 100, tariff)] as const;

it('its costs follow from its parameters by the formula', () => {
  const cells = (name: string): string[] =>
    page
      .split('\n')
      .find((line) => line.startsWith(`| ${name}`))!
      .split('|')
      .slice(2, 4)
      .map((cell) => cell.trim());
  for (const [name, epochs] of [
    ['2 epochs', 2],
    ['26 epochs', 26],
    ['53 epochs', 53],
  ] as const)
    expect([name, cells(name)]).toEqual([
      name,
      both(epochs).map((cost) => `${Number(cost.storageFrost + cost.writeFrost) / 1e9} WAL`),
    ]);
  const [alone, quilted] = both(2);
  const encoded = [alone, quilted].map(({ encodedBytes }) => Number(encodedBytes) / 2 ** 20);
  expect(cells('encoded size')).toEqual([
    `${Math.round(encoded[0]!).toLocaleString('en-US')} MiB`,
    `${encoded[1]!.toFixed(1)} MiB`,
  ]);
  expect(cells('of it the minimum of a blob |')).toEqual(
    [alone, quilted].map(({ minimumShare }) => `${(minimumShare * 100).toFixed(0)} %`),
  );
  expect(cells('gas |')).toEqual([alone, quilted].map(({ gasMist }) => `${Number(gasMist) / 1e9} SUI`));
  expect(page).toContain(`| ${envelope.toLocaleString('en-US')} bytes |`);
  const smallest = encodedBlobLength(0, 1000);
  expect(page).toContain(`${smallest.toLocaleString('en-US')} bytes, ${storageUnits(smallest)} units`);
  expect([445_556, 445_557].map((size) => encodedBlobLength(size, 1000) === smallest)).toEqual([true, false]);
});

it('its commands exist, and the official tools are listed separately', () => {
  const program = createProgram({});
  const blocks = codeBlocks(page).filter(({ language }) => language === 'console');
  const lines = blocks.flatMap(({ code }) => code.split('\n'));
  const calls = lines.filter((line) => line.startsWith('$ npx memrelay '));
  expect(calls.length).toBeGreaterThan(3);
  for (const call of calls) {
    const words = call.split(/\s+/).slice(3);
    let command: Command = program;
    for (let next = named(command, words[0]); next; next = named(command, words[0])) {
      command = next;
      words.shift();
    }
    expect([call, command]).not.toEqual([call, program]);
    const unknown = words.filter(
      (word) => word.startsWith('--') && !command.options.some(({ long }) => long === word),
    );
    expect([call, unknown]).toEqual([call, []]);
  }
  for (const { code } of blocks)
    if (/^\$ (?:sui|walrus) /m.test(code))
      expect(page.split(code)[0]).toMatch(/needs the official tool[^\n]*:\n\n```console\n$/i);
});

function named(command: Command, name: string | undefined): Command | undefined {
  return command.commands.find((each) => each.name() === name);
}
