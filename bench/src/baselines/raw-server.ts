import Fastify from 'fastify';
import { Pool } from 'pg';

/**
 * The minimum cost of a durable accept: an unsigned POST and one INSERT of the same row into a table like `memory_job`. The
 * accept bench starts it with DATABASE_URL; it prints its port.
 */
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 12 });
const envelope = Buffer.alloc(1_737, 7);
const outbox = Buffer.alloc(220, 7);
const account = Buffer.alloc(32, 7);

const app = Fastify();
app.post('/accept', async (_request, reply) => {
  const { rows } = await pool.query(
    `INSERT INTO bench_raw_accept (id, account_id, owner, namespace, delegate_pk, outbox, envelope, envelope_id, envelope_sha256)
     VALUES (gen_random_uuid(), $1, 'owner', 'default', $1, $2, $3, $1, $1) RETURNING id`,
    [account, outbox, envelope],
  );
  return reply.code(202).send({ job_id: rows[0].id });
});
const url = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(url);
process.once('SIGTERM', async () => {
  await app.close();
  await pool.end();
});
