import {
  type SponsorExecuteResponse,
  type SponsorResponse,
  sponsorExecuteResponse,
  sponsorResponse,
} from '@memrelay/protocol/sponsor';
import { Pool } from 'undici';
import { z } from 'zod';

export interface SponsorApiOptions {
  /** Address of the API without its version, e.g. `https://api.enoki.mystenlabs.com` */
  baseUrl: string;
  apiKey: string;
  /** `mainnet`, `testnet` or `localnet` */
  network: string;
}

/** The sponsor's HTTP API (Enoki's two routes). Every method throws `SponsorApiError`. */
export interface SponsorApi {
  sponsor(request: {
    /** Base64 */
    kind: string;
    sender: string;
    allowedTargets: readonly string[];
  }): Promise<SponsorResponse>;
  execute(digest: string, signature: string): Promise<SponsorExecuteResponse>;
  close(): Promise<void>;
}

/** An error response of the sponsor. */
export class SponsorApiError extends Error {
  override name = 'SponsorApiError';
  /** HTTP status; undefined if there was no readable response */
  readonly status: number | undefined;
  /** The sponsor's error code, e.g. `expired` or `dry_run_failed` */
  readonly code: string | undefined;
  constructor(status: number | undefined, code: string | undefined, cause?: unknown) {
    super(`the sponsor answered ${status ?? 'nothing'}${code === undefined ? '' : ` (${code})`}`, { cause });
    this.status = status;
    this.code = code;
  }
}

const timeoutMs = 15_000;
/** Maximum size of a response in bytes. The largest responses contain a transaction of up to 128 KiB. */
const maxAnswerBytes = 512 * 1024;

const refusal = z.object({ errors: z.array(z.object({ code: z.string() })).min(1) });

export function createSponsorApi({ baseUrl, apiKey, network }: SponsorApiOptions): SponsorApi {
  const base = new URL(baseUrl);
  // The sponsor's documentation shows the address with the version, its own client without it
  const prefix = base.pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
  const pool = new Pool(base.origin, { connections: 16, maxResponseSize: maxAnswerBytes });

  async function post<Answer>(path: string, body: object, schema: z.ZodType<Answer>): Promise<Answer> {
    const response = await pool
      .request({
        method: 'POST',
        path: `${prefix}/v1/transaction-blocks/${path}`,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      })
      .catch((cause: unknown) => {
        throw new SponsorApiError(undefined, undefined, cause);
      });
    const answer: unknown = await response.body.json().catch(() => undefined);
    if (response.statusCode >= 400)
      throw new SponsorApiError(response.statusCode, refusal.safeParse(answer).data?.errors[0]?.code);
    const parsed = z.object({ data: schema }).safeParse(answer);
    if (!parsed.success) throw new SponsorApiError(undefined, undefined, parsed.error);
    return parsed.data.data;
  }

  return {
    sponsor: ({ kind, sender, allowedTargets }) =>
      post(
        'sponsor',
        {
          network,
          transactionBlockKindBytes: kind,
          sender,
          allowedAddresses: [sender],
          allowedMoveCallTargets: allowedTargets,
        },
        sponsorResponse,
      ),
    execute: (digest, signature) =>
      post(`sponsor/${encodeURIComponent(digest)}`, { digest, signature }, sponsorExecuteResponse),
    close: () => pool.close(),
  };
}
