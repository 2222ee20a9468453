const unreleased = '## Unreleased';

/**
 * Moves the entries below `Unreleased` in the changelog below a heading of the version. Returns the changelog and these entries.
 * Throws if the heading is missing or has no entries.
 */
export function releaseChangelog(
  text: string,
  version: string,
  date: string,
): { text: string; notes: string } {
  const start = text.indexOf(`${unreleased}\n`);
  if (start < 0) throw new Error(`CHANGELOG.md has no heading "${unreleased}"`);
  const rest = text.slice(start + unreleased.length);
  const end = rest.search(/\n## /);
  const notes = (end < 0 ? rest : rest.slice(0, end)).trim();
  if (notes === '') throw new Error(`CHANGELOG.md has nothing below "${unreleased}"`);
  const after = end < 0 ? '\n' : rest.slice(end);
  return {
    text: `${text.slice(0, start)}${unreleased}\n\n## ${version} (${date})\n\n${notes}\n${after}`,
    notes,
  };
}
