import { z } from 'zod';
import { integer, url } from './forms.ts';

/**
 * Variables of the contract that have no effect yet. Their format is checked like that of the others, so that a mistake
 * is reported at the next boot. A boot warns that their values are ignored.
 */

const limit = z.union([integer(1, Number.MAX_SAFE_INTEGER), z.literal('off')], {
  error: 'must be a whole number from 1, or off',
});

export const laterVariables = {
  METRICS_PORT: integer(1, 65_535).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  RATE_LIMIT_KEY_PER_MINUTE: limit.optional(),
  RATE_LIMIT_PER_HOUR: limit.optional(),
  RATE_LIMIT_PER_MINUTE: limit.optional(),
  RATE_LIMIT_STORAGE_BYTES: limit.optional(),
};

/** Also those that other programs know and this one does not */
const laterPrefixes = /^(RATE_LIMIT_|OTEL_|METRICS_PORT$)/;

/** One warning for each that is set. Limits that are `off` are as the operator asked. */
export function laterWarnings(present: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(present)
    .filter((name) => laterPrefixes.test(name) && present[name] !== 'off')
    .sort()
    .map((name) => `${name} has no effect yet: this version has no rate limits per owner, metrics or traces`);
}
