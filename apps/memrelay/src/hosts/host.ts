/** How the tools are reached: started by the host, or over HTTP. */
export type ServerEntry =
  | { kind: 'local'; command: string; args: readonly string[] }
  | { kind: 'remote'; url: string; headers: Readonly<Record<string, string>> };

/** The machine that a configuration is for. */
export interface Machine {
  home: string;
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
}

/** An agent's host, and how a tool server is added to its configuration. */
export interface Host {
  name: string;
  title: string;
  /** The page of the host's documentation that says so */
  docs: string;
  format: 'json' | 'toml';
  configPath: (machine: Machine) => string;
  /** Keys that lead to the servers, by name, in its configuration */
  servers: readonly string[];
  /** All keys of an entry that this command may write; others in it are the user's and stay */
  owned: readonly string[];
  /** The entry as the host wants it; undefined where its file cannot say so */
  entry: (server: ServerEntry) => Readonly<Record<string, HostValue>> | undefined;
  /** How the host takes the change up */
  afterwards: string;
}

export type HostValue = string | readonly string[] | Readonly<Record<string, string>>;

/** The name of the server in every configuration. */
export const serverName = 'memrelay';
