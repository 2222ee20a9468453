import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { relayerVersion } from '@memrelay/protocol/versions';
import { expect, test } from 'vitest';
import { stdioProgram } from '../../src/hosts/local-server.ts';

const folders = process.env.PATH!.split(delimiter);
const npx = realpathSync(folders.map((folder) => join(folder, 'npx')).find(existsSync)!);
const npmCli = join(dirname(npx), 'npm-cli.js');
const cached = '/cache/_npx/0a1b2c/node_modules/memrelay/mcp/memrelay-mcp.mjs';

test('starts an installed program by its path', () => {
  const path = '/usr/lib/node_modules/memrelay/mcp/memrelay-mcp.mjs';
  expect(stdioProgram(path, npmCli)).toEqual([path]);
});

test('starts a program in the npx cache through npx', async () => {
  const program = stdioProgram(cached, npmCli);
  expect(program).toEqual([npx, '--yes', '--prefer-offline', `memrelay-mcp@${relayerVersion}`]);
  const { stdout } = await promisify(execFile)(process.execPath, [program[0]!, '--version']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
});

test('starts a program in the npx cache by its path if there is no npx', () => {
  expect(stdioProgram(cached, undefined)).toEqual([cached]);
  expect(stdioProgram(cached, '/nowhere/npm-cli.js')).toEqual([cached]);
});
