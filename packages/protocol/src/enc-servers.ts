import { z } from 'zod';
import { shortAddressPattern } from './address.ts';

/** Key servers from the operator's configuration: ENC_SERVER_CONFIGS or the deprecated ENC_KEY_SERVERS (spec, variables), and earlier sets. */

const objectId = z.string().regex(shortAddressPattern);

const encServerConfig = z
  .object({
    objectId,
    weight: z.number().int().min(1).default(1),
    /** For a committee: the server that queries its members */
    aggregatorUrl: z.url({ protocol: /^https?$/ }).optional(),
    apiKeyName: z.string().min(1).optional(),
    apiKey: z.string().min(1).optional(),
  })
  .refine(({ apiKeyName, apiKey }) => (apiKeyName === undefined) === (apiKey === undefined));

export type EncServerConfig = z.infer<typeof encServerConfig>;

/** The form of ENC_SERVER_CONFIGS, for error messages. */
export const encServerConfigsForm =
  'must be a JSON array of {objectId, weight, aggregatorUrl?, apiKeyName?, apiKey?}, the last two together or neither';

/** The entries of ENC_SERVER_CONFIGS; `undefined` if it is malformed. It may contain keys: never quote it. */
export function parseEncServerConfigs(text: string): EncServerConfig[] | undefined {
  return z.array(encServerConfig).min(1).safeParse(jsonOf(text)).data;
}

const encHistoricalSet = z
  .object({ servers: z.array(encServerConfig).min(1), threshold: z.number().int().min(1) })
  .refine(({ servers, threshold }) => threshold <= servers.reduce((sum, { weight }) => sum + weight, 0));

/** Former key servers that earlier memories are wrapped for, with their threshold. */
export type EncHistoricalSet = z.infer<typeof encHistoricalSet>;

/** The form of ENC_HISTORICAL_SETS, for error messages. */
export const encHistoricalSetsForm =
  'must be a JSON array of {servers, threshold}, servers like ENC_SERVER_CONFIGS and threshold at most their weight';

/** The sets in ENC_HISTORICAL_SETS; `undefined` if it is malformed. It may contain keys: never quote it. */
export function parseEncHistoricalSets(text: string): EncHistoricalSet[] | undefined {
  return z.array(encHistoricalSet).safeParse(jsonOf(text)).data;
}

/** `undefined`, which no schema accepts, for text that is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The ids in ENC_KEY_SERVERS; `undefined` if one is not an object id. */
export function parseEncKeyServers(text: string): string[] | undefined {
  const ids = text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  return z.array(objectId).safeParse(ids).data;
}

/** The limit of ENC_THRESHOLD, for error messages. */
export const thresholdForm = (totalWeight: number): string =>
  `must be at most ${totalWeight}, the weight of all key servers; a committee counts as one of weight 1, whatever its own threshold`;
