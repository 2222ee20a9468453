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
  /** How to sign in anew with this host, as a sentence */
  signIn: string | undefined;
}

/** A failure of the SDK in words for an agent. Codes and request id stand in the SDK's message. */
export function errorWords(error: MemRelayError, setting: ErrorSetting): ErrorWords {
  const lines = [error.message, ...issueLines(error), nextStep(error, setting)];
  return { code: error.code, text: lines.filter((line) => line !== '').join('\n') };
}

/** Those that the message does not name: a relayer's message names the first. */
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

/** A 401 has several causes that look the same from here (spec "Errors"), so the credentials are kept. */
const unauthorized =
  'Possible causes: the delegate key was revoked by the owner or has expired; the call went to another relayer or network than the one the key was made for; the clock of this machine is wrong. Next: tell the user these three, and do not repeat the call before one of them is settled. Keep the credentials as they are.';

const offline =
  'Next: tell the user that the memory server cannot be reached (for a local one: is `memrelay up` running?), go on without memory, and try again later.';

/** Identical text is stored once in its namespace, so a repetition is safe. */
const unknownWhetherStored =
  'It is not known whether the call has arrived; repeating it with the same text later does not store it twice.';

/** Answers to a route that every relayer has: a dashboard, say, whose "there is nothing" is not about memories. */
const foreignCodes: ReadonlySet<string> = new Set(['not_found', 'method_not_allowed', 'invalid_response']);

const noRelayer =
  'This says nothing about what is remembered. Next: tell the user: what answers at that address is no memory server, such as a wrong address or a page of the network that asks to sign in. Repeating the call at once will not help.';

const reportIt =
  'Next: tell the user, with the request id, for whoever runs the server. Repeating the call at once will not help.';

const nextStepByCode: Readonly<Record<string, string>> = {
  insufficient_scope:
    'Next: do not repeat the call. The owner limits what this delegate key may do (reading, saving, forgetting) and in which namespaces. Another namespace may be open to it; else the user can sign in anew and allow more. Forgetting has to be ticked there.',
  decrypt_denied:
    'Next: tell the user that this key was not allowed to decrypt. The owner may have limited it, or the clock of this machine is wrong.',
  decrypt_credential_required: 'Next: tell the user; the client sent no session for decrypting.',
  prune_required:
    'Next: tell the user: the owner has to take the expired delegate key out (`memrelay delegate prune`), then the call works.',
  account_mismatch:
    'Next: tell the user that the configured relayer does not belong to these credentials. Keep the credentials as they are.',
  package_mismatch:
    'Next: tell the user that the configured relayer serves another network than these credentials are for. Keep the credentials as they are.',
  llm_not_configured:
    'Next: tell the user that this server has no language model; whoever runs it can set LLM_API_KEY.',
  llm_answer_invalid: 'Next: try once more, perhaps with a shorter text. Nothing was stored by this call.',
  invalid_request: 'Next: mend these fields and call again.',
  payload_too_large: 'Next: split the text and store its parts one by one.',
  client_destroyed: 'Next: make the same call again; the connection to memory was being replaced.',
};
