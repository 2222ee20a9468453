import { randomBytes } from 'node:crypto';
import { expectAnswer, holds, jsonOf, same } from '../expectations.ts';
import { refused, refusedByFramework } from '../refused.ts';
import { section } from '../row.ts';
import type { Request, Session } from '../session.ts';

const { rows, row } = section('§1.10 upload relay', ['relay']);

const path = '/v1/blob-upload-relay';
const unknownId = 'A'.repeat(43);

function atRelay(session: Session, target: string, request: Request = {}) {
  return session.at(session.targets.relay!, target, request);
}

function upload(session: Session, query: string, body: string | Uint8Array = 'x') {
  return atRelay(session, `${path}${query}`, { method: 'POST', body });
}

row('/v1/tip-config returns the price of an upload', async (session) => {
  const answer = await atRelay(session, '/v1/tip-config');
  expectAnswer(answer, { status: 200, headers: { 'content-type': /^application\/json/ } });
  const config = jsonOf<string | { send_tip: { address: string; kind: object } }>(answer);
  if (config === 'no_tip') return;
  same('keys', Object.keys(config), ['send_tip']);
  same('keys of send_tip', Object.keys((config as { send_tip: object }).send_tip), ['address', 'kind']);
});

for (const [query, reason] of [
  ['', 'MALFORMED_REQUEST'],
  ['?blob_id=short', 'INVALID_ID_FORMAT'],
  [`?blob_id=${unknownId}&more=1`, 'MALFORMED_REQUEST'],
  [`?blob_id=${unknownId}&nonce=short`, 'MALFORMED_REQUEST'],
  [`?blob_id=${unknownId}&tx_id=0OIl`, 'MALFORMED_REQUEST'],
  [`?blob_id=${unknownId}&encoding_type=rs2`, 'MALFORMED_REQUEST'],
  [`?blob_id=${unknownId}`, 'NOT_REGISTERED'],
] as const) {
  row(`an upload with "${query.replace(unknownId, '{blob_id}')}" is 400`, async (session) => {
    refusedByFramework(session, await upload(session, query), 400, reason);
  });
}

row(
  'accepts and certifies a registered blob',
  async (session) => {
    const bytes = randomBytes(50);
    const { blobId } = (await session.create(bytes, '?permanent=true')).blobObject;
    const answer = await upload(session, `?blob_id=${blobId}`, bytes);
    // A relay that requires a tip checks for it first.
    if (answer.status === 400 && answer.body.includes('MISSING_TX_ID_OR_NONCE')) return;
    expectAnswer(answer, { status: 200 });
    const { blob_id, confirmation_certificate: certificate } = jsonOf<{
      blob_id: number[];
      confirmation_certificate: Record<string, unknown>;
    }>(answer);
    same('blob_id', Buffer.from(blob_id).toString('base64url'), blobId);
    same('keys', Object.keys(certificate), ['signers', 'serialized_message', 'signature']);
    holds('the signature is base64', /^[A-Za-z0-9+/]+=*$/.test(String(certificate.signature)));
    refusedByFramework(session, await upload(session, `?blob_id=${blobId}`, 'else'), 400, 'BLOB_ID_MISMATCH');
  },
  ['publisher'],
);

const unchained = section('§1.10 upload relay', ['publisher', 'no chain']);

unchained.ours('without a chain the relay is 501', async (session) => {
  refused(await session.publisher('/v1/tip-config'), 501, 'UPLOAD_RELAY_NOT_OFFERED');
  refused(await session.publisher(path, { method: 'POST', body: 'x' }), 501, 'UPLOAD_RELAY_NOT_OFFERED');
});

export const relayRows = [...rows, ...unchained.rows];
