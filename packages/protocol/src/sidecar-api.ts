import { z } from 'zod';
import { canonicalAddressPattern } from './address.ts';
import { hex32Pattern } from './bytes.ts';
import { sealedContext } from './context-fields.ts';

/**
 * The relayer's requests to the sidecar over loopback, with `Authorization: Bearer SIDECAR_AUTH_TOKEN`. Bytes travel
 * as `application/octet-stream` (see `framing.ts` for routes that mix them with JSON).
 */

export const hex32 = z.string().regex(hex32Pattern);
const address = z.string().regex(canonicalAddressPattern);

/** `GET /health`, without the token. A changed `instance` shows the relayer that the sidecar restarted. */
export const sidecarHealth = z.object({
  status: z.literal('ok'),
  version: z.string(),
  instance: z.string(),
  /** True when another relayer started this sidecar and stops it when it exits: do not adopt it */
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
  url: z.string().optional(),
  publicKey: z.string(),
});

/** `GET /key-servers`: the sets this sidecar can unwrap for; the relayer pins ids and public keys. */
export const keyServersResponse = z.object({
  current: z.string(),
  threshold: z.number().int(),
  servers: z.array(keyServer),
  /** Historical sets by id; `servers` is absent until they have been read from the chain */
  historical: z.array(z.object({ id: z.string(), servers: z.array(keyServer).optional() })),
});
export type KeyServersResponse = z.infer<typeof keyServersResponse>;

/** Whose memories are read, the signer who reads them, and the permissions. */
export const reader = z.object({
  account: z.object({
    id: address,
    initial_shared_version: z.string(),
    origin: address,
    owner: address,
    key_epoch: z.number().int(),
  }),
  /**
   * The signer of the request: the credential must belong to this key or to the owner. Whatever the credential opens,
   * the signer cannot read epochs before `min_epoch` (u64 as a number: above 2^53 only its magnitude matters).
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
  /** Trusted writers: Ed25519 keys whose signed memories are accepted */
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
    // An empty list only checks the credential
    .max(500),
  /** Wraps for the current key servers, for envelopes whose own wraps are for historical ones. They are tried first */
  rewraps: z
    .array(z.object({ recipient_pk: hex32, wrap: z.base64() }))
    .max(500)
    .optional(),
  /** If true, each denied item reports its reason. Otherwise the whole call is rejected when all items are denied */
  each: z.boolean().optional(),
});
export type OpenRequestHead = z.infer<typeof openRequestHead>;

/** `integrity`: the bytes are wrong; `unavailable`: retry; `denied`: the key servers rejected this identity. */
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
        /** Envelopes that this one replaces; for a tombstone, the ones it forgets */
        supersedes: z.array(z.string()).optional(),
        /** The context fields of its meta; absent if it has none */
        context: sealedContext.optional(),
        signer: hex32,
      }),
      z.object({ ok: z.literal(false), failure: openFailure, reason: z.string() }),
    ]),
  ),
});
export type OpenResponseHead = z.infer<typeof openResponseHead>;

/** A wrapped key with at most `mostWraps` wraps. */
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
 * `POST /keys/rewrap`: makes wraps for the current key servers from wraps for earlier ones. Each key is first opened
 * with the credential and compared with its public key. A wrap for the current servers is returned unchanged.
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

/** `GET /store`: the upload route, and the wallets that pay for uploads. A publisher pays with its own wallet. */
export const storeInfo = z.object({
  mode: z.enum(['publisher', 'relay']),
  wallets: z.array(address),
  /** Shards of the network, which limit the number of patches in a quilt */
  n_shards: z.number().int().min(4),
});
export type StoreInfo = z.infer<typeof storeInfo>;

/** `GET /store/epoch`: the current storage epoch, from the chain. */
export const storeEpochResponse = z.object({ epoch: z.number().int() });

/**
 * `POST /store/objects`: the current on-chain state of blob objects: those with these ids, and those of an owner that
 * hold one of these blobs (43 characters; a patch is named by its quilt), or all objects of the owner. An object that
 * is missing from the response does not exist.
 */
export const storeObjectsRequest = z.object({
  object_ids: z.array(address).max(1_000),
  owned: z.object({ owner: address, blob_ids: z.array(z.string()).max(1_000).optional() }).optional(),
});
export type StoreObjectsRequest = z.infer<typeof storeObjectsRequest>;

export const storeObject = z.object({
  object_id: address,
  blob_id: z.string(),
  /** First epoch in which the blob no longer exists */
  end_epoch: z.number().int(),
  certified: z.boolean(),
});
export type StoreObject = z.infer<typeof storeObject>;

export const storeObjectsResponse = z.object({
  /** The current storage epoch */
  epoch: z.number().int(),
  objects: z.array(storeObject),
});
export type StoreObjectsResponse = z.infer<typeof storeObjectsResponse>;

/** `GET /wallets?epochs`: the balances of our own wallets, and how many uploads for that many epochs they pay for. */
export const walletFunds = z.object({
  address,
  /** `sponsoring`: it pays the gas of owners */
  purpose: z.enum(['uploads', 'sponsoring']),
  /** Number of uploads of an average memory, or of sponsored transactions; 0 when the wallet is no longer used */
  pays_for: z.number().int().min(0),
  /** The coin that runs out first */
  short_of: z.enum(['SUI', 'WAL']),
  sui_mist: z.string().regex(/^\d+$/),
  wal_frost: z.string().regex(/^\d+$/),
});
export type WalletFunds = z.infer<typeof walletFunds>;

export const walletsResponse = z.object({ wallets: z.array(walletFunds) });
export type WalletsResponse = z.infer<typeof walletsResponse>;

/** Rejection of the whole call, e.g. for a forged session. The relayer returns this code to its caller. */
export const sidecarError = z.object({ error: z.string(), message: z.string() });

/** `POST /accounts/prune`: removes the expired delegates of an account. The upload wallet with this address pays. */
export const pruneRequest = z.object({ account_id: address, wallet: address.optional() });
/** `pruned` is false when no delegate has expired by the chain's clock. */
export const pruneResponse = z.object({ pruned: z.boolean() });

/**
 * `POST /accounts/delegate-key`: a new key for an OAuth grant, which the sidecar does not keep. If an account is named,
 * the response includes the key's consent to become its delegate.
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

/** `POST /sessions/drop`: drops everything cached for an account, because its state changed. */
export const dropSessionsRequest = z.object({ account_id: address });

/** Head of a frame with the concatenated files of a quilt. The same files always make the same quilt. */
export const quiltUploadHead = z.object({
  files: z.array(z.object({ identifier: z.string().min(1), size: z.number().int().min(0) })).min(1),
});
export type QuiltUploadHead = z.infer<typeof quiltUploadHead>;

/**
 * `POST /store/upload?owner&epochs&wallet&job_id&resume`: takes raw bytes and returns one JSON checkpoint per line. The
 * last line is `done` or `failed`; a connection that ends before either is a transient failure. `resume=true` means that
 * an earlier attempt may have reached the chain: its objects are found and not paid for again. Objects that expire before
 * `min_end_epoch` are ignored. With `quilt=true` the body is a frame (`quiltUploadHead`) whose files are stored as one
 * quilt. After `named`, nothing is paid for until `POST /store/upload/begin` confirms that the blob id was recorded.
 */
export const uploadCheckpoint = z.discriminatedUnion('stage', [
  /** The blob is about to be stored; from here on it may exist even if the response is lost. `token`: see above */
  z.object({ stage: z.literal('named'), blob_id: z.string(), token: z.string().optional() }),
  z.object({ stage: z.literal('registered'), object_id: z.string(), blob_id: z.string() }),
  z.object({ stage: z.literal('relayed'), blob_id: z.string() }),
  z.object({ stage: z.literal('certified'), blob_id: z.string(), object_id: z.string() }),
  z.object({
    stage: z.literal('done'),
    blob_id: z.string(),
    object_id: z.string().optional(),
    end_epoch: z.number().int(),
    /** For a quilt: the ids of its patches, in the order of the files */
    patch_ids: z.array(z.string()).optional(),
  }),
  z.object({
    stage: z.literal('failed'),
    /** `transient` failures may succeed on retry */
    kind: z.enum(['transient', 'permanent']),
    reason: z.string(),
    /** The paying wallet has insufficient funds: the next attempt needs another one */
    wallet_empty: z.boolean().optional(),
    /** Nothing was paid by this wallet: the next attempt may take another */
    unpaid: z.boolean().optional(),
    /** The publisher or the upload relay is full (507) */
    store_full: z.boolean().optional(),
  }),
]);
export type UploadCheckpoint = z.infer<typeof uploadCheckpoint>;

/** `POST /store/upload/begin`: the blob id from `named` is recorded, and the upload may be paid for. */
export const beginUploadRequest = z.object({ token: z.uuid() });
