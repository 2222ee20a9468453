import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aptEnvironment } from './apt.ts';
import { runCommand } from './run-command.mjs';

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const aptFolder = '/etc/apt';

/**
 * Fetches and unpacks a Debian source package below `directory` and returns the unpacked folder. It uses this
 * machine's configured mirror, with separate apt state, so the system's lists do not change. Throws when the machine
 * has no Debian mirror or the package is not available.
 */
export async function fetchDebianSource(name: string, suite: string, directory: string): Promise<string> {
  const mirror = debianMirror();
  if (!mirror) throw new Error('no Debian mirror is configured in /etc/apt');
  for (const folder of ['lists/partial', 'cache/archives/partial', 'parts']) {
    mkdirSync(join(directory, folder), { recursive: true });
  }
  const list = join(directory, 'sources.list');
  writeFileSync(list, `deb-src [signed-by=${keyring}] ${mirror} ${suite} main\n`);
  const options = [
    `Dir::Etc::sourcelist=${list}`,
    `Dir::Etc::sourceparts=${join(directory, 'parts')}`,
    `Dir::State::lists=${join(directory, 'lists')}`,
    `Dir::Cache=${join(directory, 'cache')}`,
    // apt's download account cannot read this private folder.
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  const run = (args: string[]) =>
    runCommand('apt-get', [...options, ...args], { cwd: directory, env: aptEnvironment() });
  await run(['update']);
  await run(['source', '--download-only', name]);
  const description = readdirSync(directory).find((file) => file.endsWith('.dsc'));
  if (!description) throw new Error(`apt has no source package ${name} in ${suite}`);
  const unpacked = join(directory, 'source');
  await runCommand('dpkg-source', ['--extract', description, unpacked], {
    cwd: directory,
    env: aptEnvironment(),
  });
  return unpacked;
}

/** The archive (not the security one) in the machine's own sources, in either of apt's two formats. */
function debianMirror(): string | undefined {
  const parts = join(aptFolder, 'sources.list.d');
  const files = [
    join(aptFolder, 'sources.list'),
    ...(existsSync(parts) ? readdirSync(parts).map((file) => join(parts, file)) : []),
  ].filter((file) => existsSync(file) && /\.(list|sources)$/.test(file));
  return files
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .filter((line) => /^\s*(deb\s|URIs:)/.test(line))
    .flatMap((line) => line.match(/https?:\/\/[^\s\]]+/g) ?? [])
    .find((url) => /\/debian\/?$/.test(url));
}
