/** Variables of the contract without effect, also those that other programs know and this one does not. */
const laterPrefixes = /^OTEL_/;

/** One warning for each that is set. */
export function laterWarnings(present: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(present)
    .filter((name) => laterPrefixes.test(name))
    .sort()
    .map((name) => `${name} has no effect yet: this version has no traces`);
}
