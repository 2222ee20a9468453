/** A relayer and the dashboard where its users sign in. */
export interface Service {
  relayerUrl: string;
  webUrl: string;
}

export type PresetName = 'prod' | 'staging' | 'local';

/**
 * What `--prod`, `--staging` and `--local` stand for (relayer.md "Stdio package flags and variables"). Whoever offers a
 * service of their own writes its two URLs here before they build the package; a build without them refuses the flag.
 */
export const presets: Readonly<Record<PresetName, Service | undefined>> = {
  prod: undefined,
  staging: undefined,
  local: { relayerUrl: 'http://127.0.0.1:8000', webUrl: 'http://localhost:5173' },
};

/** The dashboard that belongs to a relayer, where a preset names the relayer. */
export function dashboardOf(relayerUrl: string): string | undefined {
  const origin = new URL(relayerUrl).origin;
  return Object.values(presets).find((service) => service && new URL(service.relayerUrl).origin === origin)
    ?.webUrl;
}
