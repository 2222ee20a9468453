import { coinAmount } from '@memrelay/chain/coin-amount';
import { maxUploadAttempts } from '@memrelay/protocol/limits';
import type { AlertBatch, AlertSample, UploadDetail, WalletDetail } from '../rows/alert-outbox.ts';

/** The alerts of a batch as one chat message. Contains job ids, namespace tags and wallets, but no namespace or text. */
export function alertMessage(network: string, batch: AlertBatch): string {
  const paragraphs = [
    uploads(batch),
    ...(['wallet_empty', 'wallet_low', 'wallet_filled'] as const).map((kind) => wallets(kind, batch)),
  ].filter((paragraph) => paragraph !== '');
  return escaped(`memrelay on ${network}: ${paragraphs.join('\n\n')}`);
}

function uploads({ counts, samples, reasons, since }: AlertBatch): string {
  const count = counts.get('upload_failed') ?? 0;
  const failed = samples.filter((sample) => sample.kind === 'upload_failed');
  const advice =
    'What to do: look for the job id in the log of the relayer, and fix what the reason names (publisher, upload relay, chain, or the coins of a wallet). The encrypted memory is kept, and its owner can retry it with POST /api/remember/JOB/retry.';
  if (count === 0) return '';
  if (count === 1) {
    const { subject, detail } = failed[0]!;
    return `an upload was given up after ${maxUploadAttempts} attempts.\nJob ${subject}, ${tagOf(detail)}: ${detail.reason}.\n${advice}`;
  }
  const why = reasons.map(({ reason, count: times }) => `${times} times: ${reason}`).join('\n');
  const jobs = failed.map(({ subject, detail }) => `${subject} (${tagOf(detail)})`).join('\n');
  const more = count > failed.length ? `\nand ${count - failed.length} more` : '';
  return `${count} uploads were given up after ${maxUploadAttempts} attempts each, the first at ${since.toISOString()}.\n${why}\nJobs:\n${jobs}${more}\n${advice}`;
}

function tagOf({ tag, memories }: UploadDetail): string {
  const place = tag === null ? 'no namespace tag' : `namespace tag ${tag}`;
  return memories === undefined ? place : `${place}, and ${memories - 1} more memories of its quilt`;
}

const words = {
  wallet_empty: (d: WalletDetail) =>
    `cannot pay for ${what(d)} any more: too little ${d.short_of} (${funds(d)}). What to do: send it ${d.short_of}.`,
  wallet_low: (d: WalletDetail) =>
    `pays for about ${d.pays_for} more ${what(d)}; ${d.short_of} runs out first (${funds(d)}). What to do: send it ${d.short_of}.`,
  wallet_filled: (d: WalletDetail) => `was filled: it pays for about ${d.pays_for} ${what(d)} (${funds(d)}).`,
};

function wallets(kind: keyof typeof words, { counts, samples }: AlertBatch): string {
  const shown = samples.filter(
    (sample): sample is AlertSample & { kind: typeof kind } => sample.kind === kind,
  );
  const lines = shown.map(({ subject, detail }) => `Wallet ${subject} ${words[kind](detail)}`);
  const more = (counts.get(kind) ?? 0) - shown.length;
  return [...lines, ...(more > 0 ? [`The same is true of ${more} more wallets.`] : [])].join('\n');
}

function what({ purpose }: WalletDetail): string {
  return purpose === 'uploads' ? 'uploads' : 'sponsored transactions';
}

function funds({ purpose, sui_mist, wal_frost }: WalletDetail): string {
  const sui = `${coinAmount(BigInt(sui_mist))} SUI`;
  return purpose === 'uploads' ? `${sui}, ${coinAmount(BigInt(wal_frost))} WAL` : sui;
}

/** Escapes the three characters that Slack treats as markup. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
