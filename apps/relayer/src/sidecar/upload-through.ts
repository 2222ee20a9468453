import { encodeFrame } from '@memrelay/protocol/framing';
import {
  type QuiltUploadHead,
  type UploadCheckpoint,
  uploadCheckpoint,
} from '@memrelay/protocol/sidecar-api';
import type { Dispatcher } from 'undici';

export interface QuiltFile {
  /** ASCII */
  identifier: string;
  contents: Uint8Array;
}

export interface UploadRequest {
  /** An envelope, or files that are stored as one quilt */
  content: Uint8Array | readonly QuiltFile[];
  owner: string;
  epochs: number;
  jobId: string;
  /** Address of the wallet that pays; undefined when a publisher does */
  wallet: string | undefined;
  /** True if an earlier attempt may have started this upload */
  resume: boolean;
  /** When resuming, ignores objects that expire before this epoch */
  minEndEpoch: number | undefined;
}

/** Calls the sidecar. Throws `ApiError` for any error response. */
export type Call = (call: {
  method: 'POST';
  path: string;
  body: Uint8Array | string;
  headers: Record<string, string>;
  timeoutMs: number;
  /** It must not wait behind uploads */
  isShort?: true;
}) => Promise<Dispatcher.ResponseData>;

/**
 * Uploads, and yields checkpoints as they are reached. Save the content of `named` before asking for the next one: only
 * then is the sidecar allowed to pay.
 */
export async function* uploadThrough(
  call: Call,
  { content, owner, epochs, jobId, wallet, resume, minEndEpoch }: UploadRequest,
): AsyncGenerator<UploadCheckpoint> {
  const query = new URLSearchParams({
    owner,
    epochs: String(epochs),
    job_id: jobId,
    ...(content instanceof Uint8Array ? {} : { quilt: 'true' }),
    ...(wallet === undefined ? {} : { wallet }),
    ...(resume ? { resume: 'true' } : {}),
    ...(minEndEpoch === undefined ? {} : { min_end_epoch: String(minEndEpoch) }),
  });
  const response = await call({
    method: 'POST',
    path: `/store/upload?${query}`,
    body: content instanceof Uint8Array ? content : quiltFrame(content),
    headers: { 'content-type': 'application/octet-stream' },
    timeoutMs: 180_000,
  });
  let rest = '';
  for await (const part of response.body.setEncoding('utf8')) {
    const lines = (rest + (part as string)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') continue;
      const checkpoint = uploadCheckpoint.parse(JSON.parse(line));
      yield checkpoint;
      if (checkpoint.stage === 'named' && checkpoint.token !== undefined) await begin(call, checkpoint.token);
    }
  }
}

async function begin(call: Call, token: string): Promise<void> {
  const answer = await call({
    method: 'POST',
    path: '/store/upload/begin',
    body: JSON.stringify({ token }),
    headers: { 'content-type': 'application/json' },
    timeoutMs: 30_000,
    isShort: true,
  });
  await answer.body.dump();
}

function quiltFrame(files: readonly QuiltFile[]): Uint8Array {
  const head: QuiltUploadHead = {
    files: files.map(({ identifier, contents }) => ({ identifier, size: contents.length })),
  };
  return encodeFrame(
    head,
    files.map(({ contents }) => contents),
  );
}
