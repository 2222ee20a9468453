import { checkWrap, type WrapExpectation } from '@memrelay/envelope/check-wrap';
import { sealIdentity } from '@memrelay/envelope/identity';
import type { Primitives } from '@memrelay/envelope/primitives';
import { sealRecoveryWrap } from '@memrelay/envelope/recovery-wrap';
import { type Wrap, wrapType } from '@memrelay/envelope/wraps';
import { toHex } from '@memrelay/protocol/bytes';
import type { SealClient } from '@mysten/seal';
import { MemRelayError } from '../wire/errors.ts';
import type { AccountState } from './account-state.ts';
import type { ManualNetwork } from './manual-network.ts';
import type { SealClients } from './seal-clients.ts';

/** A key that memories are sealed to: a public key and the wrapped private key. */
export interface SealingKey {
  keyEpoch: bigint;
  recipientPk: Uint8Array;
  wraps: readonly Wrap[];
}

/** A key pair is used as long as in the relayer (security.md, "Envelope"). */
const maxAgeMs = 180 * 86_400_000;

/**
 * The keys this client seals to. It creates each pair itself and drops the private key as soon as it is wrapped: a server that
 * created the pair could keep the private key and read along unnoticed (security.md, "Manual clients make their own pair").
 */
export interface NamespaceKeys {
  /** One key per tag, key epoch and recovery key. Throws `key_servers_unavailable`, `key_server_mismatch`. */
  keyFor(state: AccountState, tag: Uint8Array): Promise<SealingKey>;
}

export function createNamespaceKeys(
  p: Primitives,
  network: Pick<ManualNetwork, 'packageId' | 'keyServers'>,
  clients: SealClients,
  expected: WrapExpectation,
): NamespaceKeys {
  const keys = new Map<string, { madeAt: number; key: Promise<SealingKey> }>();
  let client: Promise<SealClient> | undefined;

  async function make({ account, origin }: AccountState, tag: Uint8Array): Promise<SealingKey> {
    const identity = sealIdentity(origin, tag, account.key_epoch);
    const privateKey = p.randomBytes(32);
    const recipientPk = p.x25519PublicKey(privateKey);
    try {
      client ??= clients.clientOf(network.keyServers);
      const { encryptedObject, key } = await (await client).encrypt({
        threshold: network.keyServers.threshold,
        packageId: network.packageId,
        id: toHex(identity),
        data: privateKey,
      });
      key.fill(0);
      const wraps: Wrap[] = [{ type: wrapType.seal, bytes: encryptedObject }];
      // The same check as every reader's, so that nothing is sealed to a key that readers would reject
      checkWrap({ header: { identity, wraps } }, expected);
      if (account.recovery_pk.length > 0)
        wraps.push(sealRecoveryWrap(p, account.recovery_pk, { identity, recipientPk }, privateKey));
      return { keyEpoch: account.key_epoch, recipientPk, wraps };
    } catch (cause) {
      client = undefined;
      if (cause instanceof MemRelayError) throw cause;
      throw new MemRelayError(
        'key_servers_unavailable',
        'A key for this namespace could not be wrapped, because the key servers could not be read from the chain. Nothing was stored; the same call may succeed later.',
        { retryable: true, cause },
      );
    } finally {
      privateKey.fill(0);
    }
  }

  return {
    keyFor(state, tag) {
      const { key_epoch, recovery_pk } = state.account;
      const name = `${toHex(tag)}/${key_epoch}/${toHex(recovery_pk)}`;
      const known = keys.get(name);
      if (known && Date.now() - known.madeAt < maxAgeMs) return known.key;
      const key = make(state, tag);
      keys.set(name, { madeAt: Date.now(), key });
      key.catch(() => keys.delete(name));
      return key;
    },
  };
}
