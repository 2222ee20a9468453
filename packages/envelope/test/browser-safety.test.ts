import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '../src');
const nodeOnly = ['node-primitives.ts', 'at-rest.ts', 'hmac-node.ts'];

describe('browser safety', () => {
  it('keeps Node out of all files that browsers load', () => {
    for (const file of readdirSync(source).filter((name) => !nodeOnly.includes(name))) {
      const code = readFileSync(join(source, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      expect(code, file).not.toMatch(/node:|\bBuffer\b|\bprocess\b|\brequire\(/);
      for (const name of nodeOnly) expect(code, file).not.toContain(`'./${name}'`);
    }
  });

  it('bundles for a browser and works without Node', async () => {
    const entry = `
      import { portablePrimitives as p } from '${source}/portable-primitives.ts';
      import { newEnvelopeId } from '${source}/envelope-id.ts';
      import { sealEnvelope } from '${source}/seal-envelope.ts';
      import { checkHeader, openBody } from '${source}/open-envelope.ts';
      import { checkWrap } from '${source}/check-wrap.ts';
      import { namespaceTag } from '${source}/namespace-tag.ts';
      import { openRecoveryWrap, sealRecoveryWrap } from '${source}/recovery-wrap.ts';
      import { serverSetId } from '${source}/server-set.ts';
      import { newNamespaceKeyPair } from '${source}/key-pair.ts';

      const origin = p.randomBytes(32);
      const tag = namespaceTag(p, origin, 'work');
      const serverSet = serverSetId(p, { servers: [{ objectId: p.randomBytes(32), weight: 1 }], threshold: 1 });
      const scope = { account: p.randomBytes(32), origin, tag, keyEpoch: 1n, serverSet };
      const pair = newNamespaceKeyPair(p, scope);
      const recovery = p.randomBytes(32);
      const binding = { identity: pair.identity, recipientPk: pair.publicKey };
      const wrap = sealRecoveryWrap(p, p.x25519PublicKey(recovery), binding, pair.privateKey);
      const bytes = sealEnvelope(p, {
        kind: 1, origin, namespace: 'work', keyEpoch: 1n, envelopeId: newEnvelopeId(p),
        recipientPk: pair.publicKey, wraps: [wrap], meta: { created_at: '2026-02-01T12:00:00Z' },
        text: 'from a browser', signer: p.randomBytes(32),
      });
      const envelope = checkHeader(bytes, { origin, tag, maxEpoch: 1n });
      let refused = '';
      try { checkWrap(envelope, { packageId: origin, serverSets: [] }); } catch (error) { refused = error.reason; }
      const key = openRecoveryWrap(p, envelope.header.wraps[0], recovery, binding);
      globalThis.answer = openBody(p, envelope, key, () => true).text + ' ' + refused;
    `;
    const bundle = await rolldown({
      input: 'entry',
      platform: 'browser',
      plugins: [
        {
          name: 'entry',
          resolveId: (id) => (id === 'entry' ? '\0entry' : null),
          load: (id) => (id === '\0entry' ? entry : null),
        },
      ],
    });
    const { output } = await bundle.generate({ format: 'iife', minify: true });
    await bundle.close();
    expect(output).toHaveLength(1);
    const { code, imports } = output[0];
    expect(imports).toEqual([]);
    expect(code).not.toContain('node:');
    expect(code.length).toBeLessThan(70_000);

    const { crypto, TextEncoder, TextDecoder } = globalThis;
    const page = createContext({ crypto, TextEncoder, TextDecoder });
    // As in a browser, the page and its crypto must use the typed arrays of the same realm
    Object.assign(page, { Uint8Array, ArrayBuffer });
    runInContext(code, page);
    expect(page.answer).toBe('from a browser foreign_wrap');
  });
});
