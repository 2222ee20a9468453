import {
  createCipheriv,
  createDecipheriv,
  type createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hash,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import Fastify, { type FastifyRequest } from 'fastify';
import { Pool } from 'pg';

/**
 * The least that a durable accept and an encrypted recall can cost: a signed POST verified natively, X25519 and
 * AES-256-GCM of `node:crypto`, and one INSERT, or an exact search in SQL and ten decryptions. No accounts, nonces,
 * permissions, idempotency, keywords or blobs. Started by floor.ts with DATABASE_URL and PUBLIC_KEY (DER, base64);
 * prints its address.
 */

const pool = new Pool({
  connectionString: process.env.DATABASE_URL,
  max: 12,
  onConnect: (client) => client.query('SET jit = off'),
});
const signer = createPublicKey({
  key: Buffer.from(process.env.PUBLIC_KEY!, 'base64'),
  format: 'der',
  type: 'spki',
});
const recipient = generateKeyPairSync('x25519');
const account = randomBytes(32);
const info = Buffer.from('floor');
/** As long as the envelope of a short memory */
const envelopeBytes = 1_737;

function sealed(text: string): Buffer {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const cipher = createCipheriv('aes-256-gcm', keyOf(privateKey, recipient.publicKey), Buffer.alloc(12));
  const plain = Buffer.alloc(envelopeBytes);
  plain.write(text);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([publicKey.export({ format: 'der', type: 'spki' }), cipher.getAuthTag(), body]);
}

const spkiBytes = 44;
const tagEnd = spkiBytes + 16;

function opened(envelope: Buffer): string {
  const sender = createPublicKey({ key: envelope.subarray(0, spkiBytes), format: 'der', type: 'spki' });
  const decipher = createDecipheriv('aes-256-gcm', keyOf(recipient.privateKey, sender), Buffer.alloc(12));
  decipher.setAuthTag(envelope.subarray(spkiBytes, tagEnd));
  const plain = Buffer.concat([decipher.update(envelope.subarray(tagEnd)), decipher.final()]);
  return plain.subarray(0, plain.indexOf(0)).toString();
}

function keyOf(privateKey: ReturnType<typeof createPrivateKey>, publicKey: typeof signer): Buffer {
  return Buffer.from(hkdfSync('sha256', diffieHellman({ privateKey, publicKey }), Buffer.alloc(0), info, 32));
}

/** Throws unless the body is signed; returns it parsed. */
function verified<Body>(request: FastifyRequest): Body {
  const body = request.body as Buffer;
  const signature = Buffer.from(String(request.headers['x-signature']), 'hex');
  const message = `${request.headers['x-timestamp']}.${request.method}.${request.url}.${hash('sha256', body)}`;
  if (!verify(null, Buffer.from(message), signer, signature)) throw new Error('invalid signature');
  return JSON.parse(body.toString());
}

const envelopes = Array.from({ length: 10 }, (_, i) => sealed(`text ${i}`));
const app = Fastify();
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
app.post('/accept', async (request, reply) => {
  const envelope = sealed(verified<{ text: string }>(request).text);
  const { rows } = await pool.query({
    name: 'accept',
    text: `INSERT INTO floor_job (id, account_id, envelope, envelope_sha256)
           VALUES (gen_random_uuid(), $1, $2, $3) RETURNING id`,
    values: [account, envelope, hash('sha256', envelope, 'buffer')],
  });
  return reply.code(202).send({ job_id: rows[0].id });
});
/** Vectors to search with, by table */
const asked = new Map<string, Promise<Buffer[]>>();
const vectorsOf = async (table: string): Promise<Buffer[]> => {
  const { rows } = await pool.query<{ vector: Buffer }>(
    `SELECT vector_send(embedding::vector) AS vector FROM ${table} LIMIT 100`,
  );
  return rows.map(({ vector }) => vector);
};

app.post('/recall', async (request) => {
  const { table, index } = verified<{ table: string; index: number }>(request);
  if (!asked.has(table)) asked.set(table, vectorsOf(table));
  const vectors = await asked.get(table)!;
  const { rows } = await pool.query({
    name: table,
    text: `SELECT id, embedding <#> (SELECT $1::vector::halfvec) AS distance FROM ${table} ORDER BY distance LIMIT 10`,
    values: [vectors[index % vectors.length]],
  });
  return { results: rows.map((row, i) => ({ ...row, text: opened(envelopes[i]!) })) };
});
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
process.once('SIGTERM', async () => {
  await app.close();
  await pool.end();
});
