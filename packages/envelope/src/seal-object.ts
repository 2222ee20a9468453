import { bcsReader } from './bcs-reader.ts';
import { EnvelopeError } from './envelope-error.ts';

/** The parts of a Seal `EncryptedObject` that are needed before requests to key servers; views into its bytes. */
export interface SealObject {
  packageId: Uint8Array;
  /** Without the package prefix */
  id: Uint8Array;
  /** One entry per share: a server of weight w is listed w times */
  services: { objectId: Uint8Array; shareIndex: number }[];
  threshold: number;
}

/**
 * Parses the complete BCS of `EncryptedObject` (@mysten/seal 1.4.12), including the fields that are not used, so that they
 * cannot hide other data. Accepts version 0, one Boneh-Franklin share per service, and AES-256-GCM or HMAC-256-CTR. Throws
 * `EnvelopeError` `malformed`.
 */
export function parseSealObject(bytes: Uint8Array): SealObject {
  const reader = bcsReader(bytes);
  if (reader.u8() !== 0) throw new EnvelopeError('malformed', 'unknown EncryptedObject version');
  const packageId = reader.take(32);
  const id = reader.vector();
  const services = reader.list(33, () => ({ objectId: reader.take(32), shareIndex: reader.u8() }));
  const threshold = reader.u8();

  if (reader.u8() !== 0) throw new EnvelopeError('malformed', 'unknown kind of encrypted shares');
  reader.take(96);
  const shares = reader.list(32, () => reader.take(32));
  reader.take(32);
  if (shares.length !== services.length || threshold < 1 || threshold > services.length)
    throw new EnvelopeError('malformed', 'shares, services and threshold are inconsistent');
  if (new Set(services.map((service) => service.shareIndex)).size !== services.length)
    throw new EnvelopeError('malformed', 'duplicate share index');

  const mode = reader.u8();
  if (mode > 1) throw new EnvelopeError('malformed', 'EncryptedObject without encryption');
  reader.vector();
  reader.option();
  if (mode === 1) reader.take(32);
  reader.end();
  return { packageId, id, services, threshold };
}
