import { z } from 'zod';

/** `GET /info` of the localnet: every id and address a client of this network needs. Public values only. */
export const localnetInfoSchema = z.object({
  network: z.literal('localnet'),
  /** First 4 bytes of the genesis digest, hex, as Sui's short chain identifier */
  chainId: z.string(),
  rpcUrl: z.string(),
  /** The memrelay account package and its registry object */
  packageId: z.string(),
  registryId: z.string(),
  walrus: z.object({
    packageId: z.string(),
    systemObjectId: z.string(),
    stakingObjectId: z.string(),
    /** Struct tag of the WAL coin's type argument, e.g. `0x…::wal::WAL` */
    walType: z.string(),
    nShards: z.number().int(),
    epoch: z.number().int(),
    epochDurationMs: z.number().int(),
    /** When the current epoch began, ms since 1970; missing from earlier versions */
    epochStartMs: z.number().int().optional(),
    maxEpochsAhead: z.number().int(),
  }),
  keyServers: z.array(z.object({ objectId: z.string(), weight: z.number().int(), url: z.string() })),
  threshold: z.number().int(),
  /** A committee, used instead of the key servers above only by clients that configure it */
  committee: z.object({
    objectId: z.string(),
    weight: z.number().int(),
    aggregatorUrl: z.string(),
    /** Members that must answer the aggregator */
    threshold: z.number().int(),
    /** `publicKey`: G2 point of the member's share, hex */
    members: z.array(z.object({ partyId: z.number().int(), url: z.string(), publicKey: z.string() })),
  }),
});

export type LocalnetInfo = z.infer<typeof localnetInfoSchema>;
