import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Our packages may contain parts of others, with their licences in a file NOTICE. */
const inWorkspace = /^(.*[\\/]packages[\\/][^\\/]+)[\\/]src[\\/]/;
const inPackage = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;

/**
 * A plugin that lists the licences of the bundled packages in `licences.txt`, as most of them require.
 * @returns {import('rolldown').Plugin}
 */
export function listLicences() {
  return {
    name: 'list-licences',
    generateBundle(_options, bundle) {
      const ids = Object.values(bundle).flatMap((each) =>
        each.type === 'chunk' ? each.moduleIds.filter((id) => !id.startsWith('\0')) : [],
      );
      const foldersOf = (/** @type {RegExp} */ place) => [
        ...new Set(ids.flatMap((id) => place.exec(id)?.[1] ?? [])),
      ];
      const notices = foldersOf(inWorkspace).map((folder) => join(folder, 'NOTICE'));
      const texts = [
        ...foldersOf(inPackage).map(licenceOf),
        ...notices.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8').trim()),
      ].sort();
      if (texts.length > 0)
        this.emitFile({ type: 'asset', fileName: 'licences.txt', source: texts.join('\n\n') });
    },
  };
}

/** @param {string} folder */
function licenceOf(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)(\.|-|$)/i.test(name));
  const path = file && join(folder, file);
  const text = path && existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  return `${manifest.name} ${manifest.version} (${manifest.license ?? 'see its repository'})\n\n${text}`.trim();
}
