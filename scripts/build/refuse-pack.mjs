/** Stops `npm pack` in a workspace: it contains TypeScript, which Node does not run from `node_modules`. Published packages are built. */
process.stderr.write(
  'This folder is not the published package. To build and pack it: npm run release -- --dry-run\n',
);
process.exit(1);
