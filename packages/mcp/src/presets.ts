import released from './services.json' with { type: 'json' };

/** A relayer and the dashboard where its users sign in. */
export interface Service {
  relayerUrl: string;
  webUrl: string;
}

export type PresetName = 'prod' | 'staging' | 'local';

const services: Readonly<Record<'prod' | 'staging', Service | null>> = released;

/**
 * The services behind `--prod`, `--staging` and `--local` (relayer.md "Stdio package flags and variables"). `services.json`
 * holds the URLs of a release's services, or null. A flag without a service is rejected.
 */
export const presets: Readonly<Record<PresetName, Service | undefined>> = {
  prod: services.prod ?? undefined,
  staging: services.staging ?? undefined,
  local: { relayerUrl: 'http://127.0.0.1:8000', webUrl: 'http://localhost:5173' },
};

/** The dashboard of a relayer that is listed in a preset. */
export function dashboardOf(relayerUrl: string): string | undefined {
  const origin = new URL(relayerUrl).origin;
  return Object.values(presets).find((service) => service && new URL(service.relayerUrl).origin === origin)
    ?.webUrl;
}
