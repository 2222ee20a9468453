/** Bundles one package into a folder: `node scripts/build/build-once.mjs NAME FOLDER`. */
import { bundlePackage } from './bundle.mjs';
import { packageNamed } from './packages.mjs';

const [name = '', folder = ''] = process.argv.slice(2);
await bundlePackage(packageNamed(name), folder);
