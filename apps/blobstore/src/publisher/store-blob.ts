import { encodedBlobLength } from '@memrelay/chain/walrus-sizes';
import type { Blocklist } from '../aggregator/blocklist.ts';
import { insufficientConfirmations } from '../base/api-error.ts';
import type { BlobIdentity } from '../base/blob-id-encoder.ts';
import type { KeyedLock } from '../base/keyed-lock.ts';
import { forbiddenBlob } from '../base/read-errors.ts';
import type { Faults, StoreFault } from '../faults/faults.ts';
import {
  type AfterStore,
  type BlobAttributes,
  type BlobRegistry,
  type NewBlob,
  RegistryRefusedError,
  RegistryUnavailableError,
} from '../registry/blob-registry.ts';
import type { StagedBlob, Storage } from '../storage/storage.ts';
import type { IdentifyStaged } from './identify-staged.ts';
import { decideStore, type StoreDecision } from './store-decision.ts';
import { newlyCreated, type StoreResponse } from './store-response.ts';

/** The validated parameters of a store. */
export interface StoreQuery {
  epochs: number;
  permanent: boolean;
  force: boolean;
  reuseResources: boolean;
  sendObjectTo: string | undefined;
  /** Whether the object becomes a shared one */
  share: boolean;
}

export interface StoreParts {
  storage: Storage;
  registry: BlobRegistry;
  identifyStaged: IdentifyStaged;
  blocklist: Blocklist;
  /** Locked by blob id from the commit of the content until its object exists */
  locks: KeyedLock;
  faults: Faults;
  nShards: number;
  /** Whether objects without another receiver are destroyed once their blob is certified */
  burnAfterStore: boolean;
}

/**
 * Makes received content durable and registers it as the query requests. When this resolves, both the bytes and the
 * object survive a crash. Stores of the same blob run one after another, so that the second sees the result of the
 * first. `attributes` are set on the object, unless an existing one is sufficient.
 */
export async function storeBlob(
  context: StoreParts,
  staged: StagedBlob,
  query: StoreQuery,
  attributes?: BlobAttributes,
): Promise<StoreResponse> {
  context.storage.reserve(staged);
  const identity = await context.identifyStaged(staged);
  if (context.blocklist.has(identity.blobId)) throw forbiddenBlob();
  const { sendObjectTo, share } = query;
  const burn = context.burnAfterStore && sendObjectTo === undefined && !share;
  const after = { sendObjectTo, share, burn, ...(attributes === undefined ? {} : { attributes }) };
  return context.locks.run(identity.blobId, async () => {
    const startedAtMs = Date.now();
    const fault = await context.faults.meetStore(identity.blobId);
    let committed: Promise<void> | undefined;
    /** Runs once, even if the decision is repeated. Also repairs a copy that is lost or damaged on disk. */
    const content = () => {
      committed ??= context.storage.commit(staged, identity).then(fault.beforeCertificate);
      return committed;
    };
    const store = { context, size: staged.size, identity, query, after, content, fault };
    for (;;) {
      const decision = await decide(store);
      try {
        const response = await carryOut(store, decision);
        if (Date.now() - startedAtMs > context.storage.holdMs) throw new RegistryUnavailableError(tooLate);
        return response;
      } catch (error) {
        if (decision.kind === 'register' || !isGone(error)) throw error;
      }
    }
  });
}

const tooLate = 'registration took so long that another instance may have removed the content';

interface Store {
  context: StoreParts;
  /** Bytes */
  size: number;
  identity: BlobIdentity;
  query: StoreQuery;
  after: AfterStore;
  /** Makes the bytes durable */
  content: () => Promise<void>;
  fault: StoreFault;
}

/** The object of the decision was deleted in the meantime, or another store took the spare storage first. */
function isGone(error: unknown): boolean {
  return error instanceof RegistryRefusedError && error.reason === 'not-found';
}

async function decide({ context, size, identity, query }: Store): Promise<StoreDecision> {
  const { registry, nShards } = context;
  const { epochs, permanent, force, reuseResources } = query;
  // No existing object can be sufficient, so the registry need not be queried.
  if (!reuseResources && (force || !permanent)) return { kind: 'register' };
  const [epoch, live, uncertified, spare] = await Promise.all([
    registry.currentEpoch(),
    registry.liveObjects(identity.blobId),
    reuseResources ? registry.uncertified(identity.blobId) : [],
    reuseResources ? registry.spareStorage() : [],
  ]);
  const encodedLength = encodedBlobLength(size, nShards);
  const wish = { targetEpoch: epoch + epochs, encodedLength, permanent, force, reuseResources };
  return decideStore({ live, uncertified, spare }, wish);
}

async function carryOut(
  { context, size, identity, query, after, content, fault }: Store,
  decision: StoreDecision,
): Promise<StoreResponse> {
  const { registry, nShards } = context;
  const { blobId } = identity;
  const { epochs, permanent } = query;
  const encodedLength = encodedBlobLength(size, nShards);
  const wanted: NewBlob = { ...identity, ...after, size, epochs, deletable: !permanent };

  async function create(blob: NewBlob) {
    if (!fault.leavesUncertified) return registry.store(blob, content);
    await registry.register(blob);
    throw insufficientConfirmations();
  }

  switch (decision.kind) {
    case 'certified-event': {
      await content();
      const { event, endEpoch } = decision.existing;
      return { alreadyCertified: { blobId, event, endEpoch } };
    }
    case 'certified-object': {
      await content();
      const { objectId, endEpoch } = decision.existing;
      return { alreadyCertified: { blobId, object: objectId, endEpoch } };
    }
    case 'extend': {
      await content();
      const { byEpochs, existing } = decision;
      const extended = await registry.extend(existing.objectId, byEpochs, after);
      return newlyCreated(extended, { reuseAndExtend: { encodedLength, epochsExtended: byEpochs } });
    }
    case 'resume': {
      await content();
      if (fault.leavesUncertified) throw insufficientConfirmations();
      const { byEpochs, existing } = decision;
      const certified = await registry.certify(existing.objectId, byEpochs, after);
      return newlyCreated(
        certified,
        byEpochs === 0
          ? { reuseRegistration: { encodedLength } }
          : { reuseAndExtendNonCertified: { encodedLength, epochsExtended: byEpochs } },
      );
    }
    case 'reuse-storage': {
      const stored = await create({ ...wanted, storageId: decision.storage.id });
      return newlyCreated(stored, { reuseStorage: { encodedLength } });
    }
    case 'register':
      return newlyCreated(await create(wanted), {
        registerFromScratch: { encodedLength, epochsAhead: epochs },
      });
  }
}
