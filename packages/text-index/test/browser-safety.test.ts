import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { vectors } from './vectors.ts';

const source = join(import.meta.dirname, '../src');

test('bundles for a browser, and returns the same terms there without Node', async () => {
  const entry = `
    import { questionOf } from '${source}/question.ts';
    import { textTermSteps } from '${source}/text-terms.ts';
    import { namedContext } from '${source}/context.ts';
    import { createVectorMap } from '${source}/vector-map.ts';
    import { allSteps } from '${source}/base/steps.ts';
    globalThis.parts = { createVectorMap, namedContext };
    globalThis.answer = JSON.stringify({
      texts: texts.map((text) => [...allSteps(textTermSteps(text)).counts.keys()]),
      questions: questions.map((text) => questionOf(text, false).terms),
    });
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
  expect(gzipSync(code).length).toBeLessThan(40_000);

  const { texts, questions } = vectors;
  const page = createContext({
    texts: texts.map(({ text }) => text),
    questions: questions.map(({ text }) => text),
  });
  runInContext(code, page);
  expect(JSON.parse(page.answer)).toEqual({
    texts: texts.map(({ terms }) => [...new Set(terms)]),
    questions: questions.map(({ terms }) => terms),
  });
}, 60_000);
