import { parseArgs } from 'node:util';
import { buildSite, defaultOut } from './build-site.ts';
import { serveSite } from './serve-site.ts';

/** `npm run site`: builds the site. `npm run site -- preview` serves what was built. */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: defaultOut },
    url: { type: 'string' },
    folder: { type: 'string' },
    port: { type: 'string', default: '4173' },
  },
});
const [command = 'build'] = positionals;

if (command === 'build') {
  const started = performance.now();
  const notes = await buildSite(values);
  for (const note of notes) console.log(note);
  console.log(`Built ${values.out} in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
} else if (command === 'preview') {
  const base = values.url === undefined ? '/' : new URL(values.url).pathname + (values.folder ?? '');
  const { url } = await serveSite(values.out, base, Number(values.port));
  console.log(`Open ${url}. Ctrl-C stops it.`);
} else {
  console.error('Commands: build (the default), preview.');
  process.exitCode = 2;
}
