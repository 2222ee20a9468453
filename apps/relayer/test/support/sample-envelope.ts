import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

const vectors = JSON.parse(
  readFileSync(new URL('../../../../packages/envelope/vectors/envelope-v1.json', import.meta.url), 'utf8'),
);
const sample = Buffer.from(vectors.envelopes[0].envelope, 'hex');

/** An envelope that no one can open, with a unique id and body; all of one account, namespace and key epoch. */
export function sampleEnvelope(): { envelope: Buffer; envelopeId: Buffer } {
  const envelope = Buffer.from(sample);
  const envelopeId = Buffer.from(randomUUID().replaceAll('-', ''), 'hex');
  envelopeId.copy(envelope, 72);
  randomBytes(32).copy(envelope, envelope.length - 32);
  return { envelope, envelopeId };
}
