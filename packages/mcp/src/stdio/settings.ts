import { projectOf } from '@memrelay/capture/project-namespace-node';
import { namespaceField } from '@memrelay/protocol/fields';
import { type PresetName, presets, type Service } from '../presets.ts';
import { type FlagName, readFlags, UsageError } from './flags.ts';

/** The settings of the package, from its flags and variables. */
export interface Settings {
  action: 'serve' | 'login' | 'logout' | 'help';
  /** Sign in even if there are credentials */
  forceLogin: boolean;
  /** The code from the sign-in page, pasted by the user */
  code: string | undefined;
  /** Sign in with the key in MemWal's credential file instead of the sign-in page */
  fromMemwal: boolean;
  /** Overrides the relayer of the credentials */
  relayerUrl: string | undefined;
  webUrl: string | undefined;
  /** Data directory of the local system */
  dataDir: string | undefined;
  /** The name of this client in the dashboard; if undefined, the host's name for itself */
  label: string | undefined;
  /** Default namespace of tool calls */
  namespace: string | undefined;
  extraTools: boolean;
  debug: boolean;
}

/**
 * Reads the settings. A flag overrides its variable, an explicit URL overrides a preset, and a preset, being a flag,
 * overrides a variable. Throws a `UsageError` that names the problem.
 */
export function readSettings(argv: readonly string[], env: NodeJS.ProcessEnv): Settings {
  const { values, set, subcommand } = readFlags(argv);
  // Help works even if other flags are wrong
  if (set.has('help')) return { ...readSettings([], {}), action: 'help' };
  const service = chosenPreset(set);
  const url = (flag: FlagName, variable: string, preset: string | undefined): string | undefined => {
    const flagged = values.get(flag);
    if (flagged !== undefined) return checkedUrl(flagged, `--${flag}`);
    const named = variableOf(env, variable);
    return preset ?? (named === undefined ? undefined : checkedUrl(named, variable));
  };
  const wantsLogin = set.has('login') || subcommand === 'login';
  const wantsLogout = set.has('logout') || subcommand === 'logout';
  if (wantsLogin && wantsLogout) throw new UsageError('Use either login or logout, not both.');
  const code = values.get('code');
  if (code !== undefined && !wantsLogin) throw new UsageError('--code requires login: login --code CODE.');
  const fromMemwal = set.has('from-memwal');
  if (fromMemwal && (!wantsLogin || code !== undefined))
    throw new UsageError(
      '--from-memwal requires login and cannot be combined with --code: login --from-memwal.',
    );
  return {
    action: actionOf(wantsLogout, subcommand === 'login' || code !== undefined || fromMemwal),
    forceLogin: wantsLogin,
    code,
    fromMemwal,
    relayerUrl: url('relayer', 'MEM_SERVER_URL', service?.relayerUrl),
    webUrl: url('web-url', 'MEM_WEB_URL', service?.webUrl),
    dataDir: values.get('data-dir') ?? variableOf(env, 'MEM_DATA_DIR'),
    label: checkedLabel(values.get('label') ?? variableOf(env, 'MEM_CLIENT_LABEL')),
    namespace:
      checkedNamespace(values.get('namespace'), variableOf(env, 'MEM_NAMESPACE')) ??
      (set.has('project')
        ? projectOf(variableOf(env, 'CLAUDE_PROJECT_DIR') ?? process.cwd()).namespace
        : undefined),
    extraTools: set.has('extra-tools'),
    debug: env.MEM_MCP_DEBUG === '1',
  };
}

/** The subcommand is for a terminal; `--login` alone may also be in the configuration of a host. */
function actionOf(logout: boolean, login: boolean): Settings['action'] {
  if (logout) return 'logout';
  return login ? 'login' : 'serve';
}

function chosenPreset(set: ReadonlySet<string>): Service | undefined {
  const names = (Object.keys(presets) as PresetName[]).filter((name) => set.has(name));
  if (names.length > 1) throw new UsageError(`--${names.join(' and --')} cannot be combined.`);
  const [name] = names;
  if (name === undefined) return undefined;
  const service = presets[name];
  if (service !== undefined) return service;
  throw new UsageError(
    `This build has no service for --${name}. Pass --relayer URL and --web-url URL, or add its URLs to packages/mcp/src/presets.ts and rebuild.`,
  );
}

/** An empty variable counts as unset, as in all of memrelay. */
function variableOf(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name];
  return value === undefined || value.trim() === '' ? undefined : value;
}

function checkedUrl(value: string, name: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.username ||
    url.password ||
    url.search ||
    url.hash
  )
    throw new UsageError(
      `${name} must be an http or https URL without credentials, such as https://relayer.example.`,
    );
  return url.href.replace(/\/+$/, '');
}

function checkedLabel(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  // The account module keeps at most 64 bytes (security.md "Account module", rule 4).
  if (Buffer.byteLength(label) <= 64 && label.trim() !== '') return label;
  throw new UsageError('--label must be 1 to 64 bytes.');
}

function checkedNamespace(flag: string | undefined, variable: string | undefined): string | undefined {
  const namespace = flag ?? variable;
  if (namespace === undefined || namespaceField.safeParse(namespace).success) return namespace;
  throw new UsageError(
    `${flag === undefined ? 'MEM_NAMESPACE' : '--namespace'} must be 1 to 128 characters without control characters, and not only white space.`,
  );
}
