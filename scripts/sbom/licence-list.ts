/** A component of a CycloneDX document, as far as we read it. */
export interface Component {
  name: string;
  group?: string | undefined;
  version: string;
  licenses?:
    | {
        license?: { id?: string | undefined; name?: string | undefined } | undefined;
        expression?: string | undefined;
      }[]
    | undefined;
}

export interface LicenceGroup {
  /** An SPDX id or expression, or `unknown` */
  licence: string;
  /** `name version`, sorted */
  packages: string[];
}

/** The packages of an SBOM by licence, without our own. */
export function licenceList(components: readonly Component[], own: ReadonlySet<string>): LicenceGroup[] {
  const groups = new Map<string, Set<string>>();
  for (const component of components) {
    const name = component.group ? `${component.group}/${component.name}` : component.name;
    if (own.has(name)) continue;
    const licence = licenceOf(component);
    const packages = groups.get(licence) ?? new Set();
    groups.set(licence, packages.add(`${name} ${component.version}`));
  }
  return [...groups]
    .map(([licence, packages]) => ({ licence, packages: [...packages].sort() }))
    .sort((a, b) => (a.licence < b.licence ? -1 : 1));
}

function licenceOf({ licenses = [] }: Component): string {
  const names = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name);
  return names.filter((name) => name !== undefined).join(' AND ') || 'unknown';
}

/**
 * Licences under which we may pass on a package in a bundle (SPDX). A new one needs a decision, not a mere entry: the licence must
 * allow redistribution together with Apache-2.0 code.
 */
const accepted: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
]);

/** The groups whose licence is not accepted. Of `A OR B` one is enough; of `A AND B` both must be accepted. */
export function unacceptedLicences(groups: readonly LicenceGroup[]): LicenceGroup[] {
  return groups.filter(({ licence }) => !isAccepted(licence));
}

function isAccepted(expression: string): boolean {
  const plain = expression.replace(/^\((.*)\)$/, '$1');
  if (plain.includes(' OR ')) return plain.split(' OR ').some(isAccepted);
  if (plain.includes(' AND ')) return plain.split(' AND ').every(isAccepted);
  return accepted.has(plain);
}
