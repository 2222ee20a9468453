import { z } from 'zod';

const price = z.string().regex(/^[0-9]{1,20}$/);

/** `GET /store/tariff`: current prices in FROST per MiB, and the duration of an epoch, from the chain. */
export const storeTariff = z.object({
  epoch: z.number().int(),
  /** Per epoch */
  storage_price: price,
  write_price: price,
  n_shards: z.number().int().min(4),
  epoch_ms: z.number().int().min(1),
});
export type StoreTariff = z.infer<typeof storeTariff>;
