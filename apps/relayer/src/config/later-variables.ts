import { z } from 'zod';
import { integer, url } from './forms.ts';

/**
 * Variables of the contract whose parts are not built yet. Their form is checked like that of the others, so that a
 * mistake shows at the boot at which it is made; nothing reads their values.
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
