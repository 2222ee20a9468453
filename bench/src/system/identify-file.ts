/** Computes one blob id: `identify-file.ts <path> <shards>`. A separate process, so that its peak memory is that of one id. */
import { computeBlobId } from '@memrelay/blob-id/blob-id';
import { withFileSource } from '@memrelay/blob-id/source/file-source-node';

const [path = '', nShards = ''] = process.argv.slice(2);
const before = process.cpuUsage();
withFileSource(path, (source) => computeBlobId(source, { nShards: Number(nShards) }));
const { user, system } = process.cpuUsage(before);
process.stdout.write(
  JSON.stringify({ ms: (user + system) / 1000, mebibytes: process.resourceUsage().maxRSS / 1024 }),
);
