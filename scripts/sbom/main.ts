/**
 * `npm run sbom`: writes the bill of materials of what we publish (CycloneDX) and the list of its licences, and audits the
 * dependencies. Exits with 1 for a licence that is not accepted or a grave vulnerability, and with 3 when the registry does
 * not answer the audit. `--out FOLDER`, default `dist`.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { root } from '../build/repository.mjs';
import { readAudit } from './audit.ts';
import { billArguments } from './bill-arguments.ts';
import { type Component, licenceList, unacceptedLicences } from './licence-list.ts';

const run = promisify(execFile);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } });
const folder = resolve(values.out);
mkdirSync(folder, { recursive: true });

const npm = (...args: string[]): Promise<string> =>
  run('npm', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 }).then(
    ({ stdout }) => stdout,
    // `npm audit` exits with 1 when it has found something
    (error: { stdout?: string }) => error.stdout ?? '',
  );

const bill = await npm(...billArguments());
const { components } = JSON.parse(bill) as { components: Component[] };
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
writeFileSync(join(folder, `memrelay-${version}.cdx.json`), bill);
const isOwn = (name: string): boolean => name.startsWith('@memrelay/') || name.startsWith('memrelay');
const own = new Set(
  components.map(({ group, name }) => (group ? `${group}/${name}` : name)).filter((name) => isOwn(name)),
);
const groups = licenceList(components, own);
const list = groups.map(
  ({ licence, packages: of }) => `${licence}\n${of.map((each) => `  ${each}`).join('\n')}\n`,
);
writeFileSync(join(folder, `memrelay-${version}.licences.txt`), list.join('\n'));
say(
  `${groups.reduce((sum, { packages: of }) => sum + of.length, 0)} packages, ${groups.length} licences, in ${folder}`,
);

const unaccepted = unacceptedLicences(groups);
for (const { licence, packages: of } of unaccepted)
  say(`licence to decide on: ${licence} (${of.join(', ')})`);
const audit = readAudit(await npm('audit', '--json', '--omit', 'dev'));
if (audit.state === 'clean') say('audit: nothing grave is known');
else if (audit.state === 'vulnerable') for (const advisory of audit.advisories) say(`audit: ${advisory}`);
else say(`audit: NOT DONE, the registry did not answer (${audit.reason}); run it again elsewhere`);
process.exitCode =
  unaccepted.length > 0 || audit.state === 'vulnerable' ? 1 : audit.state === 'unanswered' ? 3 : 0;
