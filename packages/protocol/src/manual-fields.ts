import { z } from 'zod';

const refused = z
  .undefined({
    error: 'cannot be used in manual mode: the relayer would have to see it to compute its token',
  })
  .optional();

/** In manual mode the relayer sees neither texts nor fields, and without them it cannot compute tokens. */
export const fieldsRefused = {
  session: refused,
  speaker: refused,
  happened_at: refused,
  tags: refused,
  metadata: refused,
  expires_at: refused,
};
