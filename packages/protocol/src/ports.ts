/** Default ports of the parts, all on 127.0.0.1. */
export const defaultPorts = {
  relayer: 8000,
  sidecar: 9000,
  localnet: 9100,
  blobstore: 31415,
  dashboard: 5173,
} as const;
