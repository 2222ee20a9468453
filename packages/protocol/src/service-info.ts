/** Responses of the unsigned information routes and of `GET /api/account`. */

import type { Deprecation } from './versions.ts';

export interface VersionInfo {
  relayerVersion: string;
  apiVersion: string;
  minSupportedSdk: { typescript: string; python: string; mcp: string };
  featureFlags: Record<string, boolean>;
  deprecations: readonly Deprecation[];
  build: { commit?: string; buildTimestamp?: string };
}

export interface HealthInfo extends VersionInfo {
  status: 'ok';
  version: string;
  mode: 'production' | 'local';
  prompt_versions: { extract: string; ask: string; rerank: string };
}

export interface EncServerPublic {
  objectId: string;
  weight: number;
  aggregatorUrl?: string;
}

/** `GET /config`: what a client needs to create its session key and to read blobs. No secrets. */
export interface PublicConfig {
  packageId: string;
  registryId: string;
  network: string;
  suiRpcUrl: string;
  aggregatorUrl: string;
  encServerConfigs: EncServerPublic[];
  encThreshold: number;
  embedding: {
    model: string;
    dimension: number;
    /** A memory that shares no word with the question is a hit only if its similarity is above this */
    min_score?: number;
  };
  /** Whether a chat model is configured: then `analyze` extracts facts with it, `ask` words answers, and `rerank` works */
  chatModel: boolean;
}

export interface AccountInfo {
  owner: string;
  account_id: string;
  /** The address that created the account, which never changes: namespace tags are keyed by it */
  origin: string;
  key_epoch: number;
  active: boolean;
  delegate: {
    label: string;
    scope: { perms: string[]; all_namespaces: boolean; tags: string[]; min_epoch: number };
    /** RFC 3339; absent when the key never expires */
    expires_at?: string;
  };
}

export interface LiveInfo {
  status: 'ok';
}

export interface ReadyInfo {
  ready: boolean;
  accepts_writes: boolean;
  checks: Record<string, { ok: boolean; detail?: string }>;
  /** Age of the oldest unfinished job in seconds */
  oldest_pending_job_seconds: number;
}
