import type { Kill } from './kills.ts';
import type { LedgerEntry, Registration } from './ledger.ts';

/** The id of the blob that an id refers to, or that contains its patch. */
export function blobOf(id: string): string {
  return Buffer.from(id, 'base64url').subarray(0, 32).toString('base64url');
}

/** A blob object that was paid for in addition to the memory's own. */
export interface ExtraPayment {
  blobId: string;
  jobId: string | undefined;
  objectId: string;
  /** The transaction that registered it and paid for it */
  digest: string;
  wallet: string;
  at: string;
  costFrost: string;
  certified: boolean;
  holder: 'owner' | 'wallet' | 'nobody';
  /** Explanation: a kill, or that its wallet was emptied. Undefined if there is none */
  cause: string | undefined;
}

export interface Drain {
  wallet: string;
  digest: string;
  atMs: number;
}

export interface PaymentFacts {
  ledger: readonly LedgerEntry[];
  wallets: readonly string[];
  /** Whether the payer continues with the objects that it registered. A publisher does not, and may store twice */
  walletsResume: boolean;
  /** For each blob of a memory, the id of one of its jobs */
  jobs: ReadonlyMap<string, string>;
  /** Object id of each memory, as in the database */
  objects: ReadonlyMap<string, string>;
  ownersObjects: ReadonlySet<string>;
  walletsObjects: ReadonlySet<string>;
  kills: readonly Kill[];
  drain: Drain | undefined;
}

export interface WalletPayments {
  address: string;
  registrations: number;
  certifications: number;
  failedTransactions: number;
  walPaidFrost: string;
  /** Gas and tips to the relay */
  suiPaidMist: string;
}

export interface Payments {
  wallets: WalletPayments[];
  /** Cost of the memories' own objects, cost of all extra objects, and the amount that the wallets paid for them */
  memoriesFrost: string;
  extrasFrost: string;
  paidFrost: string;
  extras: ExtraPayment[];
  broken: string[];
}

/** Compares the amounts that the wallets paid with the cost of the memories. */
export function countPayments(facts: PaymentFacts): Payments {
  const own = facts.ledger.filter(
    ({ sender, digest }) => facts.wallets.includes(sender) && digest !== facts.drain?.digest,
  );
  const broken: string[] = [];
  for (const entry of own) {
    const paid = -(entry.wal.get(entry.sender) ?? 0n);
    const cost = sum(entry.registered.map(({ costFrost }) => costFrost));
    if (paid !== cost) broken.push(`${entry.digest} paid ${paid} FROST but costs ${cost}`);
  }
  const paid = own.flatMap((entry) => entry.registered.map((made) => ({ entry, made })));
  const main = new Set(facts.objects.values());
  const memories = paid.filter(({ made }) => main.has(made.objectId));
  const extras = paid
    .filter(({ made }) => !main.has(made.objectId))
    .map(({ entry, made }) => extraPayment(facts, entry, made));
  if (memories.length !== main.size)
    broken.push(`${memories.length} of the ${main.size} objects of memories were paid for by the wallets`);
  for (const extra of extras)
    if (extra.cause === undefined) broken.push(`${extra.objectId} was paid for twice without a known cause`);
  const memoriesFrost = sum(memories.map(({ made }) => made.costFrost));
  const extrasFrost = sum(extras.map(({ costFrost }) => BigInt(costFrost)));
  const paidFrost = sum(own.map(({ sender, wal }) => -(wal.get(sender) ?? 0n)));
  if (paidFrost !== memoriesFrost + extrasFrost)
    broken.push(`${paidFrost} FROST were paid, but memories and extras cost ${memoriesFrost + extrasFrost}`);
  return {
    wallets: facts.wallets.map((address) => walletPayments(own, address)),
    memoriesFrost: String(memoriesFrost),
    extrasFrost: String(extrasFrost),
    paidFrost: String(paidFrost),
    extras,
    broken,
  };
}

function extraPayment(facts: PaymentFacts, entry: LedgerEntry, made: Registration): ExtraPayment {
  const { objectId, blobId, costFrost } = made;
  const jobId = facts.jobs.get(blobId);
  return {
    blobId,
    jobId,
    objectId,
    digest: entry.digest,
    wallet: entry.sender,
    at: new Date(entry.atMs).toISOString(),
    costFrost: String(costFrost),
    certified: facts.ledger.some(({ certified }) => certified.includes(objectId)),
    holder: holderOf(facts, objectId),
    cause: jobId === undefined ? undefined : causeOf(facts, entry, jobId),
  };
}

function holderOf(facts: PaymentFacts, objectId: string): ExtraPayment['holder'] {
  if (facts.ownersObjects.has(objectId)) return 'owner';
  return facts.walletsObjects.has(objectId) ? 'wallet' : 'nobody';
}

/** A kill may explain an extra payment if the transaction took effect at most this long before or after the kill. */
const explainedByKillMs = { before: 5_000, after: 2_000 };

function causeOf(facts: PaymentFacts, entry: LedgerEntry, jobId: string): string | undefined {
  const { drain, walletsResume } = facts;
  const killed = killBehind(facts, entry, jobId);
  const emptiedMs = drain && entry.sender === drain.wallet ? drain.atMs - entry.atMs : -1;
  if (emptiedMs >= 0)
    return `its wallet was emptied ${emptiedMs} ms later, before it was certified${killed ? ` (${killed})` : ''}`;
  // After a kill, one of our own wallets continues with the registered object, so a kill does not explain an extra payment
  return walletsResume ? undefined : killed;
}

function killBehind({ kills }: PaymentFacts, { atMs }: LedgerEntry, jobId: string): string | undefined {
  for (const { number, victim, atMs: killedAt, underWay } of kills) {
    const job = underWay.get(jobId);
    if (job && atMs >= killedAt - explainedByKillMs.before && atMs <= killedAt + explainedByKillMs.after)
      return `kill ${number} of the ${victim} ${killedAt - atMs} ms later; last checkpoint: ${job.reached ?? 'none'}`;
  }
  return undefined;
}

function walletPayments(own: readonly LedgerEntry[], address: string): WalletPayments {
  const mine = own.filter(({ sender }) => sender === address);
  return {
    address,
    registrations: mine.reduce((count, { registered }) => count + registered.length, 0),
    certifications: mine.reduce((count, { certified }) => count + certified.length, 0),
    failedTransactions: mine.filter(({ success }) => !success).length,
    walPaidFrost: String(sum(mine.map(({ wal }) => -(wal.get(address) ?? 0n)))),
    suiPaidMist: String(sum(mine.map(({ sui }) => -(sui.get(address) ?? 0n)))),
  };
}

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
