import { z } from 'zod';
import { canonicalAddressPattern } from './address.ts';
import { hex32Pattern } from './bytes.ts';

/**
 * What the relayer asks of the sidecar over loopback, with `Authorization: Bearer SIDECAR_AUTH_TOKEN`.
 * Bytes travel as `application/octet-stream` (see `framing.ts` for routes that mix them with JSON).
 */

export const hex32 = z.string().regex(hex32Pattern);
const address = z.string().regex(canonicalAddressPattern);

/** `GET /health`, without the token. `instance` lets a relayer see that a restart happened. */
export const sidecarHealth = z.object({
  status: z.literal('ok'),
  version: z.string(),
  instance: z.string(),
  /** True when another relayer started it and takes it along when it ends: it must not be adopted */
  supervised: z.boolean(),
  /** Proves that both sides hold the same token (`sidecarTokenProof`) */
  token_proof: hex32,
});
export type SidecarHealth = z.infer<typeof sidecarHealth>;

/** `POST /keys`: a new X25519 pair for one identity; the private half is wrapped by the key servers and dropped. */
export const makeKeyRequest = z.object({
  origin: address,
  /** Namespace tag, 16 bytes hex */
  tag: z.string().regex(/^[0-9a-f]{32}$/),
  key_epoch: z.number().int().min(0),
  /** The owner's recovery key, 32 bytes hex, when the account has one */
  recovery_pk: hex32.optional(),
});
export type MakeKeyRequest = z.infer<typeof makeKeyRequest>;

export const makeKeyResponse = z.object({
  recipient_pk: hex32,
  wraps: z.array(z.object({ type: z.number().int(), bytes: z.base64() })),
  /** Identifies the key servers and threshold the wrap was made for */
  server_set: z.string(),
});
export type MakeKeyResponse = z.infer<typeof makeKeyResponse>;

const keyServer = z.object({
  objectId: address,
  weight: z.number().int(),
  aggregatorUrl: z.string().optional(),
  publicKey: z.string(),
});

/** `GET /key-servers`: the sets this sidecar can unwrap for; the relayer pins ids and public keys. */
export const keyServersResponse = z.object({
  current: z.string(),
  threshold: z.number().int(),
  servers: z.array(keyServer),
  /** Sets of the past by id; without servers while the chain does not tell them */
  historical: z.array(z.object({ id: z.string(), servers: z.array(keyServer).optional() })),
});
export type KeyServersResponse = z.infer<typeof keyServersResponse>;

/** Who reads what, and with whose leave. */
export const reader = z.object({
  account: z.object({
    id: address,
    initial_shared_version: z.string(),
    origin: address,
    owner: address,
    key_epoch: z.number().int(),
  }),
  /**
   * Whose request this is: the credential must belong to this key or to the owner. Whatever the credential opens,
   * the signer reads nothing of an epoch before `min_epoch` (u64 as a number: above 2^53 only its size counts).
   */
  signer: z.object({ public_key: hex32, address, min_epoch: z.number().min(0) }),
  /** True when the server key is a delegate of this account */
  server_key_allowed: z.boolean(),
});
export type Reader = z.infer<typeof reader>;

/**
 * `POST /envelopes/open`: a frame whose head is this and whose payload is the envelopes one after the other.
 * Credential headers `x-enc-session` and `x-delegate-key` are passed through from the request.
 */
export const openRequestHead = reader.extend({
  /** Ed25519 keys whose signed memories are believed */
  trusted_signers: z.array(hex32),
  items: z
    .array(
      z.object({
        length: z.number().int().min(1),
        namespace: z.string(),
        envelope_id: z
          .string()
          .regex(/^[0-9a-f]{32}$/)
          .optional(),
        sha256: hex32.optional(),
      }),
    )
    // None: only the credential is checked
    .max(500),
  /** Wraps for the current key servers of keys that envelopes hold for earlier ones; tried first, all that are given */
  rewraps: z
    .array(z.object({ recipient_pk: hex32, wrap: z.base64() }))
    .max(500)
    .optional(),
  /** Each item is told why it is denied; without it the call is refused where all are */
  each: z.boolean().optional(),
});
export type OpenRequestHead = z.infer<typeof openRequestHead>;

/** `integrity`: the bytes are wrong; `unavailable`: try again; `denied`: the key servers refused this identity. */
export const openFailure = z.enum(['integrity', 'unavailable', 'denied']);

/** Head of the answer; its payload is the texts of the items that are `ok`, in order, as UTF-8. */
export const openResponseHead = z.object({
  items: z.array(
    z.union([
      z.object({
        ok: z.literal(true),
        text_length: z.number().int(),
        created_at: z.string(),
        importance: z.number().optional(),
        /** Envelopes that it replaces, or forgets where it is a tombstone */
        supersedes: z.array(z.string()).optional(),
        signer: hex32,
      }),
      z.object({ ok: z.literal(false), failure: openFailure, reason: z.string() }),
    ]),
  ),
});
export type OpenResponseHead = z.infer<typeof openResponseHead>;

/** A key as it is wrapped, with so many wraps at most. */
export const wrappedKey = (mostWraps: number) =>
  z.object({
    /** Namespace tag, 16 bytes hex */
    tag: z.string().regex(/^[0-9a-f]{32}$/),
    key_epoch: z.number().int().min(0),
    recipient_pk: hex32,
    wraps: z
      .array(z.object({ type: z.number().int().min(0).max(255), bytes: z.base64() }))
      .min(1)
      .max(mostWraps),
  });
export type WrappedKey = z.infer<ReturnType<typeof wrappedKey>>;

/**
 * `POST /keys/rewrap`: wraps for the current key servers of keys that are wrapped for others. Each is opened with the
 * credential first, and compared with its public half; one that is wrapped for the current ones comes back as it is.
 */
export const rewrapKeysRequest = reader.extend({
  keys: z.array(wrappedKey(4)).min(1).max(100),
});
export type RewrapKeysRequest = z.infer<typeof rewrapKeysRequest>;

export const rewrapKeysResponse = z.object({
  /** The set that the new wraps are made for */
  server_set: z.string(),
  /** In the order of the request */
  keys: z.array(
    z.union([
      z.object({ ok: z.literal(true), wrap: z.base64() }),
      z.object({ ok: z.literal(false), failure: openFailure, reason: z.string() }),
    ]),
  ),
});
export type RewrapKeysResponse = z.infer<typeof rewrapKeysResponse>;

/** `GET /store`: how uploads go, and the wallets that pay for them; a publisher pays itself. */
export const storeInfo = z.object({
  mode: z.enum(['publisher', 'relay']),
  wallets: z.array(address),
  /** Shards of the network, which bound how many patches a quilt has */
  n_shards: z.number().int().min(4),
});
export type StoreInfo = z.infer<typeof storeInfo>;

/** `GET /store/epoch`: the present storage epoch, from the chain. */
export const storeEpochResponse = z.object({ epoch: z.number().int() });

/**
 * `POST /store/objects`: what the chain says of blob objects now, of those with these ids and of those of an owner that
 * hold one of these blobs (43 characters; a patch is named by its quilt), or of all that the owner holds. What is not in
 * the answer does not exist.
 */
export const storeObjectsRequest = z.object({
  object_ids: z.array(address).max(1_000),
  owned: z.object({ owner: address, blob_ids: z.array(z.string()).max(1_000).optional() }).optional(),
});
export type StoreObjectsRequest = z.infer<typeof storeObjectsRequest>;

export const storeObject = z.object({
  object_id: address,
  blob_id: z.string(),
  /** The first epoch in which it is gone */
  end_epoch: z.number().int(),
  certified: z.boolean(),
});
export type StoreObject = z.infer<typeof storeObject>;

export const storeObjectsResponse = z.object({
  /** The present storage epoch */
  epoch: z.number().int(),
  objects: z.array(storeObject),
});
export type StoreObjectsResponse = z.infer<typeof storeObjectsResponse>;

/** `GET /wallets?epochs`: what our own wallets hold, with as many uploads for so many epochs as that pays for. */
export const walletFunds = z.object({
  address,
  /** `sponsoring`: it pays the gas of owners */
  purpose: z.enum(['uploads', 'sponsoring']),
  /** Uploads of an ordinary memory, or sponsored transactions; 0 when it is not used any more */
  pays_for: z.number().int().min(0),
  /** The coin that runs out first */
  short_of: z.enum(['SUI', 'WAL']),
  sui_mist: z.string().regex(/^\d+$/),
  wal_frost: z.string().regex(/^\d+$/),
});
export type WalletFunds = z.infer<typeof walletFunds>;

export const walletsResponse = z.object({ wallets: z.array(walletFunds) });
export type WalletsResponse = z.infer<typeof walletsResponse>;

/** A refusal of the whole call, e.g. a forged session: the relayer answers its caller with this code. */
export const sidecarError = z.object({ error: z.string(), message: z.string() });

/** `POST /accounts/prune`: takes the expired delegates out of an account, paid by the upload wallet with this address. */
export const pruneRequest = z.object({ account_id: address, wallet: address.optional() });

/** `pruned` is false when by the chain's clock nobody has expired. */
export const pruneResponse = z.object({ pruned: z.boolean() });

/**
 * `POST /accounts/delegate-key`: a new key for an OAuth grant, which the sidecar does not keep. With an account, also the
 * key's consent to become a delegate of it.
 */
export const delegateKeyRequest = z.object({ account_id: address.optional() });

export const delegateKeyResponse = z.object({
  private_key: hex32,
  public_key: hex32,
  /** Signature over `delegateProofMessage(account_id)` */
  proof: z
    .string()
    .regex(/^[0-9a-f]{128}$/)
    .optional(),
});
export type DelegateKeyResponse = z.infer<typeof delegateKeyResponse>;

/** `POST /sessions/drop`: forget everything cached for an account, because its state changed. */
export const dropSessionsRequest = z.object({ account_id: address });

/** Head of a frame with the files of a quilt, back to back; of the same files there is one quilt. */
export const quiltUploadHead = z.object({
  files: z.array(z.object({ identifier: z.string().min(1), size: z.number().int().min(0) })).min(1),
});
export type QuiltUploadHead = z.infer<typeof quiltUploadHead>;

/**
 * `POST /store/upload?owner&epochs&wallet&job_id&resume`: raw bytes in, one JSON checkpoint a line out. The last line
 * is `done` or `failed`; a connection that ends before either is a transient failure. `resume=true` says that the job
 * may have begun before: what reached the chain then is found and not paid again. Objects that end before `min_end_epoch`
 * are none. With `quilt=true` the body is a frame (`quiltUploadHead`) whose files are stored as one quilt. After `named`
 * nothing is paid for before `POST /store/upload/begin` says that its blob id is written down.
 */
export const uploadCheckpoint = z.discriminatedUnion('stage', [
  /** It is about to be stored, and may be from then on also when nobody hears of it. `token`: see above */
  z.object({ stage: z.literal('named'), blob_id: z.string(), token: z.string().optional() }),
  z.object({ stage: z.literal('registered'), object_id: z.string(), blob_id: z.string() }),
  z.object({ stage: z.literal('relayed'), blob_id: z.string() }),
  z.object({ stage: z.literal('certified'), blob_id: z.string(), object_id: z.string() }),
  z.object({
    stage: z.literal('done'),
    blob_id: z.string(),
    object_id: z.string().optional(),
    end_epoch: z.number().int(),
    /** Of a quilt: the ids of its patches in the order of the files */
    patch_ids: z.array(z.string()).optional(),
  }),
  z.object({
    stage: z.literal('failed'),
    /** `transient` may succeed when repeated */
    kind: z.enum(['transient', 'permanent']),
    reason: z.string(),
    /** The wallet that was to pay has too little: the next attempt needs another */
    wallet_empty: z.boolean().optional(),
    /** Nothing was paid by this wallet: the next attempt may take another */
    unpaid: z.boolean().optional(),
    /** The publisher or the upload relay has no room for it (507) */
    store_full: z.boolean().optional(),
  }),
]);
export type UploadCheckpoint = z.infer<typeof uploadCheckpoint>;

/** `POST /store/upload/begin`: what `named` told is written down, and may be paid for. */
export const beginUploadRequest = z.object({ token: z.uuid() });
