import type { MemRelayError } from '@memrelay/sdk/errors';
import { quoted } from './quoted.ts';

export interface ErrorWords {
  /** Stable, for logs */
  code: string;
  /** What happened, and the next step */
  text: string;
}

export interface ErrorSetting {
  /** The call stores something */
  writes: boolean;
  /** How to sign in again with this host, as a sentence */
  signIn: string | undefined;
}

/** Explains an SDK error to an agent. The SDK's message already contains code and request id. */
export function errorWords(error: MemRelayError, setting: ErrorSetting): ErrorWords {
  const lines = [error.message, ...issueLines(error), nextStep(error, setting)];
  return { code: error.code, text: lines.filter((line) => line !== '').join('\n') };
}

/** The issues that the message does not contain: a relayer's message contains only the first one. */
function issueLines({ message: words, details }: MemRelayError): string[] {
  const issues = Array.isArray(details?.issues) ? details.issues : [];
  return issues
    .filter(({ path, message }) => !words.includes(`${path}: ${message}`))
    .map(({ path, message }) => `- ${quoted(String(path))}: ${quoted(String(message))}`);
}

function nextStep(error: MemRelayError, { writes, signIn }: ErrorSetting): string {
  const byCode = nextStepByCode[error.code];
  if (byCode !== undefined) return byCode;
  if (error.status === 401) return [unauthorized, signIn ?? ''].join(' ').trim();
  if (error.code === 'network_error' || error.code === 'timeout')
    return [offline, writes ? unknownWhetherStored : ''].join(' ').trim();
  if (error.retryable) return waitAndRepeat(error.retryAfterMs);
  if (error.code === 'invalid_credentials') return 'Next: tell the user. Nothing was sent.';
  if (error.status !== undefined && (error.status < 400 || foreignCodes.has(error.code))) return noRelayer;
  if (error.status === undefined || error.status >= 500) return reportIt;
  return '';
}

function waitAndRepeat(retryAfterMs: number | undefined): string {
  const seconds = Math.max(1, Math.ceil((retryAfterMs ?? 5_000) / 1000));
  return `Next: wait ${seconds} seconds, then make the same call again. If it fails again, tell the user.`;
}

/** A 401 has several causes that cannot be distinguished here (spec "Errors"), so the credentials are kept. */
const unauthorized =
  'Possible causes: the owner revoked the delegate key, or it has expired; the call went to another relayer or network than the key was created for; the clock of this machine is wrong. Next: tell the user all three causes, and do not retry until one of them is resolved. Keep the credentials unchanged.';

const offline =
  'Next: tell the user that the memory server cannot be reached (for a local one: is `memrelay up` running?), continue without memory, and try again later.';

/** A namespace stores identical text only once, so a retry is safe. */
const unknownWhetherStored =
  'The server may or may not have received the call; repeating it later with the same text does not store it twice.';

/** Codes that no relayer returns for these routes. They come from another server, e.g. a dashboard, and say nothing about memories. */
const foreignCodes: ReadonlySet<string> = new Set(['not_found', 'method_not_allowed', 'invalid_response']);

const noRelayer =
  'This says nothing about stored memories. Next: tell the user that the server at that address is not a memory server; the address may be wrong, or the network may show a sign-in page. Retrying immediately will not help.';

const reportIt =
  'Next: tell the user, including the request id for the operator of the server. Retrying immediately will not help.';

const nextStepByCode: Readonly<Record<string, string>> = {
  insufficient_scope:
    'Next: do not retry. The owner limits what this delegate key may do (read, save, forget) and in which namespaces. It may have access to another namespace; otherwise the user can sign in again and allow more. Forgetting must be ticked on the sign-in page.',
  decrypt_denied:
    'Next: tell the user that this key is not allowed to decrypt. The owner may have restricted it, or the clock of this machine is wrong.',
  decrypt_credential_required: 'Next: tell the user that the client sent no decryption session.',
  prune_required:
    'Next: tell the user that the owner has to remove the expired delegate key (`memrelay delegate prune`); after that the call works.',
  account_mismatch:
    'Next: tell the user that the configured relayer does not belong to these credentials. Keep the credentials unchanged.',
  package_mismatch:
    'Next: tell the user that the configured relayer serves a different network than these credentials are for. Keep the credentials unchanged.',
  storage_limit_reached:
    'Next: tell the user that the storage of this account is used up, and continue without saving. Forget nothing unless the user asks for it. The operator of the server can raise the limit.',
  llm_not_configured:
    'Next: tell the user that this server has no language model; its operator can set LLM_API_KEY.',
  llm_answer_invalid: 'Next: try again, possibly with a shorter text. This call stored nothing.',
  invalid_request: 'Next: fix these fields and try again.',
  payload_too_large: 'Next: split the text and store the parts separately.',
  client_destroyed: 'Next: make the same call again; the connection to memory was being replaced.',
};
