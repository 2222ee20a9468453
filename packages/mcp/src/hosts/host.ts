/** How the tools are reached: started by the host, or over HTTP. */
export type ServerEntry =
  | { kind: 'local'; command: string; args: readonly string[] }
  | { kind: 'remote'; url: string; headers: Readonly<Record<string, string>> };

/** The machine that a configuration is for. */
export interface Machine {
  home: string;
  /** As Node names it, e.g. `win32` */
  platform: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** An agent host, and how to add a tool server to its configuration. */
export interface Host {
  name: string;
  title: string;
  /** The page of the host's documentation that describes it */
  docs: string;
  format: 'json' | 'toml' | 'yaml';
  configPath: (machine: Machine) => string;
  /** Files or folders that show that the host is on this machine; default: the folder of its configuration */
  traces?: (machine: Machine) => readonly string[];
  /** Keys that lead to the servers, by name, in its configuration */
  servers: readonly string[];
  /** The keys of an entry that this command may write; others are the user's and are kept */
  owned: readonly string[];
  /** The entry in the host's format, or undefined if its file does not support such a server */
  entry: (server: ServerEntry) => Readonly<Record<string, HostValue>> | undefined;
  /** How to make the host load the change */
  afterwards: string;
}

export type HostValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

/** The name of the server in every configuration. */
export const serverName = 'memrelay';
