import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { type SponsorPolicy, sponsoredTargets, UnsponsorableError } from '@memrelay/chain/sponsored-kind';
import { ApiError } from '@memrelay/protocol/errors';
import type {
  SponsorExecuteRequest,
  SponsorExecuteResponse,
  SponsorRequest,
  SponsorResponse,
} from '@memrelay/protocol/sponsor';
import type { Logger } from 'pino';
import type { GasWallet } from './gas-wallet.ts';
import { type SponsorApi, SponsorApiError } from './sponsor-api.ts';

export interface Sponsoring {
  /** A transaction for the sender to sign. Throws `ApiError`. */
  sponsor(request: SponsorRequest): Promise<SponsorResponse>;
  /** Throws `ApiError`. */
  execute(request: SponsorExecuteRequest): Promise<SponsorExecuteResponse>;
}

export interface SponsoringOptions {
  policy: SponsorPolicy;
  /** With SPONSOR_API_KEY */
  api: SponsorApi | undefined;
  /** With SPONSOR_FALLBACK_TO_DIRECT_SIGN and a server key */
  wallet: GasWallet | undefined;
  log: Logger;
}

/** Sponsors the account's own transactions, through the sponsor or else from the server's wallet. */
export function createSponsoring({ policy, api, wallet, log }: SponsoringOptions): Sponsoring {
  return {
    async sponsor({ sender, transactionBlockKindBytes: kind }) {
      const allowedTargets = targetsOf(Buffer.from(kind, 'base64'), sender, policy);
      const fromWallet = (own: GasWallet): Promise<SponsorResponse> =>
        own.sponsor(Buffer.from(kind, 'base64'), sender).catch((error: unknown) => {
          throw answerFor(error);
        });
      if (!api) {
        if (!wallet) throw new ApiError('sponsor_unconfigured');
        return fromWallet(wallet);
      }
      try {
        return await api.sponsor({ kind, sender, allowedTargets });
      } catch (error) {
        // A transaction that fails on chain fails with any payer
        if (!wallet || isTransactionFault(error)) throw answerFor(error);
        log.warn({ err: error }, 'sponsor failed; the server wallet pays');
        return fromWallet(wallet);
      }
    },
    async execute({ digest, signature }) {
      const payer = wallet?.awaits(digest) ? wallet : api;
      if (!payer) throw new ApiError('sponsor_unconfigured');
      return payer.execute(digest, signature).catch((error: unknown) => {
        throw answerFor(error);
      });
    },
  };
}

function targetsOf(kind: Uint8Array, sender: string, policy: SponsorPolicy): string[] {
  try {
    return sponsoredTargets(kind, sender, policy);
  } catch (error) {
    if (!(error instanceof UnsponsorableError)) throw error;
    throw new ApiError('unsponsorable_transaction', { message: error.message });
  }
}

function isTransactionFault(error: unknown): boolean {
  return error instanceof SponsorApiError && error.code === 'dry_run_failed';
}

/** Our messages for sponsor errors that a caller can act on. */
const advice: Readonly<Record<string, string>> = {
  expired: 'The sponsored transaction has expired; ask for a new one and sign it within a minute.',
  dry_run_failed: 'The transaction would fail on chain; reload the objects and rebuild it.',
  invalid_signature: "The signature is not the sender's signature of this transaction.",
  not_found: 'No sponsored transaction has this digest, or it was already executed.',
};

/** The error for the caller (decisions.md, "Sponsor routes"). Never contains the sponsor's own text. */
function answerFor(error: unknown): ApiError {
  if (error instanceof ChainRejectedError)
    return new ApiError('sponsor_rejected', { message: advice.dry_run_failed!, cause: error });
  if (!(error instanceof SponsorApiError)) return new ApiError('sponsor_failed', { cause: error });
  const { status = 500, code = '' } = error;
  if (status === 429) return new ApiError('sponsor_unavailable', { cause: error });
  if (status === 401 || status === 403 || status >= 500)
    return new ApiError('sponsor_failed', { cause: error });
  const message = advice[code];
  return new ApiError('sponsor_rejected', { cause: error, ...(message ? { message } : {}) });
}
