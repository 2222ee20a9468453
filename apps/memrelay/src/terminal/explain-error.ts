import { type AccountAbortName, accountAbortName } from '@memrelay/chain/account-limits';
import { ChainRejectedError, ChainUnavailableError } from '@memrelay/chain/chain-errors';
import { JobFailedError, MemRelayError } from '@memrelay/sdk/errors';
import { ExitError, exitCodes } from './exit-codes.ts';

/** Codes for a problem with the credentials, not with the relayer. */
const deniedCodes: readonly string[] = ['invalid_credentials', 'account_mismatch', 'package_mismatch'];
const usageCodes: readonly string[] = ['invalid_argument', 'idempotency_key_reused', 'payload_too_large'];

/** File system errors that a person can fix. */
const troubles: Record<string, string> = {
  ENOENT: 'there is no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'it exists already',
  ENOTEMPTY: 'the directory is not empty',
  ELOOP: 'it is a link that leads to itself',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
  EIO: 'the device reported an error',
  ESPIPE: 'it is not a regular file',
  ENXIO: 'it is not a regular file',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/**
 * Converts an expected failure to a message with a next step and an exit code. Returns undefined for an unexpected
 * error, which is a defect whose stack belongs in the bug report.
 */
export function explain(error: unknown): ExitError | undefined {
  if (error instanceof ExitError) return error;
  if (error instanceof MemRelayError) return explainSdk(error);
  if (error instanceof ChainRejectedError) return explainRefusal(error);
  if (error instanceof ChainUnavailableError)
    return new ExitError(
      exitCodes.unavailable,
      'The chain cannot be reached, or did not answer in time. If a transaction was signed, it may still take effect: check before you sign again.',
      { code: 'chain_unavailable', cause: error },
    );
  return fileTrouble(error);
}

/**
 * Converts a file system error to a message that names the file. Pass `path` if the system error does not name it, as
 * for a read from an open file. Undefined for other errors.
 */
export function fileTrouble(error: unknown, path?: string): ExitError | undefined {
  const { code, syscall, path: named = path } = error as NodeJS.ErrnoException;
  if (code === undefined) return undefined;
  // Without `path` it may be a connection error
  const trouble =
    troubles[code] ?? (path && syscall ? `the system cannot ${syscall} it (${code})` : undefined);
  if (trouble === undefined) return undefined;
  const message = named === undefined ? `A file cannot be used: ${trouble}.` : `${named}: ${trouble}.`;
  return new ExitError(exitCodes.usage, message, { cause: error });
}

/** Explanations of the contract's errors for the person who signed. */
const refusals: Partial<Record<AccountAbortName, string>> = {
  account_exists: 'This wallet already has an account; each wallet has one.',
  already_active: 'The account is on already.',
  already_inactive: 'The account is off already.',
  bad_proof: 'The consent (--proof) is not one of this key for this account.',
  deactivated: 'The account is switched off: `npx memrelay account reactivate` switches it on.',
  delegate_exists: 'This key is a delegate of the account already.',
  delegate_is_owner: "The owner's own key cannot be a delegate too.",
  delegate_not_found: 'The account has no such delegate.',
  label_too_long: 'A label has at most 64 bytes.',
  not_offered: 'The account was not offered to this wallet.',
  not_owner: 'Only the owner of the account can do this, and this wallet is not.',
  small_order_key: 'This is not a usable public key.',
  too_many_delegates: 'An account has at most 20 delegates: revoke one first.',
};

function explainRefusal(error: ChainRejectedError): ExitError {
  const name = error.abort?.module === 'account' ? accountAbortName(error.abort.code) : undefined;
  const message = (name && refusals[name]) ?? `The chain refused: ${error.message}.`;
  return new ExitError(exitCodes.failed, message, { code: name ?? 'chain_rejected', cause: error });
}

function explainSdk(error: MemRelayError): ExitError {
  const end = (exitCode: number, message: string) =>
    new ExitError(exitCode, message, { cause: error, code: error.code });
  if (error.code === 'network_error')
    return end(
      exitCodes.unavailable,
      `No relayer answers${originOf(error)}. Start the local system with \`npx memrelay up\`, or name another relayer with --server URL. \`npx memrelay doctor\` looks for the cause.`,
    );
  if (deniedCodes.includes(error.code)) return end(exitCodes.denied, error.message);
  if (error.status === 401 || error.status === 403)
    return end(exitCodes.denied, `${error.message} \`npx memrelay doctor\` checks the credentials.`);
  if (error instanceof JobFailedError)
    return end(
      exitCodes.failed,
      `${error.message}. The memory is kept: \`npx memrelay retry ${error.job.jobId}\` retries it.`,
    );
  if (error.code === 'job_not_failed')
    return end(
      exitCodes.failed,
      `This job is ${error.details?.status}: only one that has failed can be retried.`,
    );
  if (usageCodes.includes(error.code) || error.status === 400)
    return end(exitCodes.usage, `${error.message}${issuesOf(error)}`);
  if (error.retryable)
    return end(
      exitCodes.unavailable,
      `${error.message} Try again in a moment, or see \`npx memrelay status\`.`,
    );
  return end(exitCodes.failed, error.message);
}

/** Only the SDK's message contains the origin. It is shown, never branched on. */
function originOf(error: MemRelayError): string {
  const origin = /https?:\/\/[^\s/:]+(?::\d+)?/.exec(error.message)?.[0];
  return origin === undefined ? '' : ` at ${origin}`;
}

function issuesOf(error: MemRelayError): string {
  const issues = Array.isArray(error.details?.issues) ? error.details.issues : [];
  // The message of a relayer names the first
  const lines = issues
    .map(({ path, message }) => `${path}: ${message}`)
    .filter((line) => !error.message.includes(line));
  return lines.length > 0 ? ` ${lines.join('; ')}.` : '';
}
