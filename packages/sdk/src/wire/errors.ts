import { CodedError } from '@memrelay/protocol/coded-error';
import type { ErrorCode } from '@memrelay/protocol/errors';
import type { Job, JobOutcome } from './types.ts';

/** Codes created in the client; all others come from the relayer's catalogue (`@memrelay/protocol/errors`). */
export type ClientErrorCode =
  | 'invalid_argument'
  | 'invalid_credentials'
  | 'client_destroyed'
  | 'network_error'
  | 'timeout'
  | 'invalid_response'
  | 'account_mismatch'
  | 'package_mismatch'
  | 'network_mismatch'
  | 'network_not_pinned'
  | 'key_server_mismatch'
  | 'key_servers_unavailable'
  | 'chain_unavailable'
  | 'embedding_not_configured'
  | 'embedding_rejected'
  | 'embedding_mismatch'
  | 'search_secret_missing'
  | 'invalid_bundle'
  | 'bundle_cut_off'
  | 'unsupported_bundle'
  | 'wrong_passphrase'
  | 'job_failed'
  | 'job_timeout';

/** A newer relayer may return codes that this version does not know. */
export type MemRelayErrorCode = ErrorCode | ClientErrorCode | (string & {});

export interface MemRelayErrorOptions {
  status?: number | undefined;
  requestId?: string | undefined;
  retryable?: boolean;
  retryAfterMs?: number | undefined;
  details?: Record<string, unknown> | undefined;
  cause?: unknown;
}

/** Every failure of the SDK except an abort by the caller, which rejects with the signal's own reason. */
export class MemRelayError extends CodedError<MemRelayErrorCode> {
  override name = 'MemRelayError';
  /** HTTP status; undefined if there was no response */
  readonly status: number | undefined;
  /** Identifies the call in the relayer's log */
  readonly requestId: string | undefined;
  /** True if the same call may succeed later unchanged. The SDK has already used up its own retries */
  readonly retryable: boolean;
  /** The wait that the relayer requested, if any */
  readonly retryAfterMs: number | undefined;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: MemRelayErrorCode, message: string, options: MemRelayErrorOptions = {}) {
    super(code, message, { cause: options.cause });
    this.status = options.status;
    this.requestId = options.requestId;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.details = options.details;
  }
}

/** No response arrived: `network_error` if the connection failed, `timeout` if it took too long. */
export class NetworkError extends MemRelayError {
  override name = 'NetworkError';

  constructor(code: 'network_error' | 'timeout', message: string, options: MemRelayErrorOptions = {}) {
    super(code, message, { retryable: true, ...options });
  }
}

/** The relayer gave up on a memory; `job.error` says why. */
export class JobFailedError extends MemRelayError {
  override name = 'JobFailedError';
  readonly job: Job;

  constructor(job: Job) {
    const reason = job.error ? `${job.error} (${job.errorCode})` : 'no reason given';
    super('job_failed', `Job ${job.jobId} failed: ${reason}`);
    this.job = job;
  }
}

/** The wait timed out before the jobs ended. The jobs continue; wait again to follow them. */
export class JobTimeoutError extends MemRelayError {
  override name = 'JobTimeoutError';
  /** Last known state of every job, in the requested order */
  readonly jobs: readonly JobOutcome[];

  constructor(jobs: readonly JobOutcome[], timeoutMs: number, cause?: unknown) {
    const open = jobs.filter((job) => job.status === 'running').length;
    super(
      'job_timeout',
      `${open} of ${jobs.length} job(s) not finished after ${timeoutMs} ms. They are accepted and continue; wait again with their ids.`,
      { retryable: true, cause },
    );
    this.jobs = jobs;
  }
}
