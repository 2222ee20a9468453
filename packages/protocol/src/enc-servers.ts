import { z } from 'zod';

/** Key servers as an operator names them: ENC_SERVER_CONFIGS, or the deprecated ENC_KEY_SERVERS (spec, variables). */

const objectId = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/);

const encServerConfig = z
  .object({
    objectId,
    weight: z.number().int().min(1).default(1),
    /** Of a committee: the server that asks its members */
    aggregatorUrl: z.url({ protocol: /^https?$/ }).optional(),
    apiKeyName: z.string().min(1).optional(),
    apiKey: z.string().min(1).optional(),
  })
  .refine(({ apiKeyName, apiKey }) => (apiKeyName === undefined) === (apiKey === undefined));

export type EncServerConfig = z.infer<typeof encServerConfig>;

/** What ENC_SERVER_CONFIGS must be, for the message that it is not. */
export const encServerConfigsForm =
  'must be a JSON array of {objectId, weight, aggregatorUrl?, apiKeyName?, apiKey?}, the last two together or neither';

/** The entries of ENC_SERVER_CONFIGS; `undefined` when it is not of that form. Keys may stand in it: never quote it. */
export function parseEncServerConfigs(text: string): EncServerConfig[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  return z.array(encServerConfig).min(1).safeParse(json).data;
}

/** The ids in ENC_KEY_SERVERS; `undefined` when one is no object id. */
export function parseEncKeyServers(text: string): string[] | undefined {
  const ids = text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  return z.array(objectId).safeParse(ids).data;
}
