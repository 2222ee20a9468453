/** A workspace has TypeScript, which Node does not run from `node_modules`: what is published is built from it. */
process.stderr.write(
  'This folder is not what is published. To build and pack: npm run release -- --dry-run\n',
);
process.exit(1);
