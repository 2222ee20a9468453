/**
 * The canonical JSON of a value: RFC 8785 (JCS), limited to safe integers, so that no rule for fractions is needed. Members
 * are ordered by their names' UTF-16 units, there is no white space, and undefined members are left out. Throws `RangeError`
 * for anything else, such as null, a fraction or a lone surrogate.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string' && value.isWellFormed()) return JSON.stringify(value);
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) throw new RangeError('has no canonical form');
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
