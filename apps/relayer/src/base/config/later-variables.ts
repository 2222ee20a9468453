import { url } from './forms.ts';

/**
 * Variables of the contract that have no effect yet. Their format is checked like that of the others, so that a mistake
 * is reported at the next boot. A boot warns that their values are ignored.
 */

export const laterVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
};

/** Also those that other programs know and this one does not */
const laterPrefixes = /^OTEL_/;

/** One warning for each that is set. */
export function laterWarnings(present: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(present)
    .filter((name) => laterPrefixes.test(name))
    .sort()
    .map((name) => `${name} has no effect yet: this version has no traces`);
}
