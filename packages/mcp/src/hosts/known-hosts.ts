import { type Host, type Machine, serverName } from './host.ts';

const newSession = 'Start a new session; a running one keeps its old configuration.';

/** Every host that `memrelay mcp install` knows. The dashboard shows them too, so this file imports nothing from Node. */
export const hosts: readonly Host[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    // User scope: `~/.claude.json`, in all projects
    docs: 'https://code.claude.com/docs/en/mcp',
    format: 'json',
    configPath: (machine) => inFolder(machine, machine.env.CLAUDE_CONFIG_DIR, [], '.claude.json'),
    traces: (machine) => [
      inFolder(machine, machine.env.CLAUDE_CONFIG_DIR, [], '.claude.json'),
      join(machine, machine.home, '.claude'),
    ],
    servers: ['mcpServers'],
    owned: ['type', 'command', 'args', 'url', 'headers'],
    entry: (server) =>
      server.kind === 'local'
        ? { type: 'stdio', command: server.command, args: server.args }
        : { type: 'http', url: server.url, ...withHeaders('headers', server.headers) },
    afterwards: newSession,
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    docs: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
    format: 'json',
    configPath: (machine) => join(machine, applicationData(machine), 'Claude', 'claude_desktop_config.json'),
    servers: ['mcpServers'],
    owned: ['command', 'args'],
    // Its file supports only servers that it starts; remote ones are added in Settings > Connectors.
    entry: (server) => (server.kind === 'local' ? { command: server.command, args: server.args } : undefined),
    afterwards: 'Quit it fully and start it again; closing the window is not enough.',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    docs: 'https://cursor.com/docs/mcp',
    format: 'json',
    configPath: (machine) => join(machine, machine.home, '.cursor', 'mcp.json'),
    servers: ['mcpServers'],
    owned: ['type', 'command', 'args', 'url', 'headers'],
    entry: (server) =>
      server.kind === 'local'
        ? { command: server.command, args: server.args }
        : { url: server.url, ...withHeaders('headers', server.headers) },
    afterwards: 'Restart it, and see that memrelay is switched on under Customize > MCPs.',
  },
  {
    name: 'vscode',
    title: 'VS Code',
    docs: 'https://code.visualstudio.com/docs/agents/reference/mcp-configuration',
    format: 'json',
    configPath: (machine) => join(machine, applicationData(machine), 'Code', 'User', 'mcp.json'),
    servers: ['servers'],
    owned: ['type', 'command', 'args', 'url', 'headers'],
    entry: (server) =>
      server.kind === 'local'
        ? { type: 'stdio', command: server.command, args: server.args }
        : { type: 'http', url: server.url, ...withHeaders('headers', server.headers) },
    afterwards: 'Run "MCP: List Servers" there and start memrelay.',
  },
  {
    name: 'codex',
    title: 'Codex',
    docs: 'https://developers.openai.com/codex/mcp',
    format: 'toml',
    configPath: (machine) => inFolder(machine, machine.env.CODEX_HOME, ['.codex'], 'config.toml'),
    servers: ['mcp_servers'],
    owned: ['command', 'args', 'url', 'http_headers'],
    entry: (server) =>
      server.kind === 'local'
        ? { command: server.command, args: server.args }
        : { url: server.url, ...withHeaders('http_headers', server.headers) },
    afterwards: newSession,
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    docs: 'https://geminicli.com/docs/tools/mcp-server/',
    format: 'json',
    configPath: (machine) => join(machine, machine.home, '.gemini', 'settings.json'),
    servers: ['mcpServers'],
    owned: ['command', 'args', 'url', 'httpUrl', 'headers'],
    // `url` would mean the older transport, SSE.
    entry: (server) =>
      server.kind === 'local'
        ? { command: server.command, args: server.args }
        : { httpUrl: server.url, ...withHeaders('headers', server.headers) },
    afterwards: newSession,
  },
  {
    name: 'openclaw',
    title: 'OpenClaw',
    docs: 'https://docs.openclaw.ai/cli/mcp',
    format: 'json',
    configPath: (machine) =>
      machine.env.OPENCLAW_CONFIG_PATH ||
      inFolder(machine, machine.env.OPENCLAW_STATE_DIR, ['.openclaw'], 'openclaw.json'),
    servers: ['mcp', 'servers'],
    owned: ['command', 'args', 'url', 'transport', 'headers'],
    entry: (server) =>
      server.kind === 'local'
        ? { command: server.command, args: server.args }
        : { url: server.url, transport: 'streamable-http', ...withHeaders('headers', server.headers) },
    afterwards: 'Run: openclaw mcp reload',
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    docs: 'https://docs.windsurf.com/windsurf/cascade/mcp',
    format: 'json',
    configPath: (machine) => join(machine, machine.home, '.codeium', 'windsurf', 'mcp_config.json'),
    servers: ['mcpServers'],
    owned: ['command', 'args', 'serverUrl', 'url', 'headers'],
    entry: (server) =>
      server.kind === 'local'
        ? { command: server.command, args: server.args }
        : { serverUrl: server.url, ...withHeaders('headers', server.headers) },
    afterwards: 'Press Refresh in the list of MCP servers of Cascade.',
  },
  {
    name: 'cline',
    title: 'Cline',
    docs: 'https://docs.cline.bot/mcp/configuring-mcp-servers',
    format: 'json',
    configPath: (machine) => join(machine, clineFolder(machine), 'settings', 'cline_mcp_settings.json'),
    traces: (machine) => [clineFolder(machine)],
    servers: ['mcpServers'],
    owned: ['type', 'command', 'args', 'url', 'headers'],
    // Without a type it would take the older transport, SSE.
    entry: (server) =>
      server.kind === 'local'
        ? { command: server.command, args: server.args }
        : { type: 'streamableHttp', url: server.url, ...withHeaders('headers', server.headers) },
    afterwards: 'It connects as soon as the file is saved.',
  },
  {
    name: 'zed',
    title: 'Zed',
    docs: 'https://zed.dev/docs/ai/mcp',
    format: 'json',
    configPath: (machine) => join(machine, zedFolder(machine), 'settings.json'),
    servers: ['context_servers'],
    owned: ['command', 'args', 'url', 'headers'],
    entry: (server) =>
      server.kind === 'local'
        ? { command: server.command, args: server.args }
        : { url: server.url, ...withHeaders('headers', server.headers) },
    afterwards: 'See that memrelay is active in the settings of the Agent Panel.',
  },
  {
    name: 'opencode',
    title: 'opencode',
    docs: 'https://opencode.ai/docs/mcp-servers',
    format: 'json',
    configPath: (machine) => join(machine, configFolder(machine), 'opencode', 'opencode.json'),
    servers: ['mcp'],
    owned: ['type', 'command', 'url', 'headers'],
    // The form of version 1, which version 2 reads too.
    entry: (server) =>
      server.kind === 'local'
        ? { type: 'local', command: [server.command, ...server.args], enabled: true }
        : { type: 'remote', url: server.url, ...withHeaders('headers', server.headers), enabled: true },
    afterwards: newSession,
  },
  {
    name: 'copilot-cli',
    title: 'Copilot CLI',
    docs: 'https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers',
    format: 'json',
    configPath: (machine) => inFolder(machine, machine.env.COPILOT_HOME, ['.copilot'], 'mcp-config.json'),
    servers: ['mcpServers'],
    owned: ['type', 'command', 'args', 'url', 'headers'],
    entry: (server) =>
      server.kind === 'local'
        ? { type: 'local', command: server.command, args: server.args, tools: ['*'] }
        : { type: 'http', url: server.url, ...withHeaders('headers', server.headers), tools: ['*'] },
    afterwards: newSession,
  },
  {
    name: 'goose',
    title: 'Goose',
    docs: 'https://block.github.io/goose/docs/guides/config-files',
    format: 'yaml',
    configPath: (machine) => join(machine, gooseFolder(machine), 'config.yaml'),
    servers: ['extensions'],
    owned: ['type', 'name', 'cmd', 'args', 'uri', 'headers'],
    entry: (server) => ({
      enabled: true,
      name: serverName,
      ...(server.kind === 'local'
        ? { type: 'stdio', cmd: server.command, args: server.args }
        : { type: 'streamable_http', uri: server.url, ...withHeaders('headers', server.headers) }),
      timeout: 300,
    }),
    afterwards: newSession,
  },
];

/** Without headers the key is omitted: the host signs in by itself. */
function withHeaders(
  name: string,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return Object.keys(headers).length === 0 ? {} : { [name]: headers };
}

function join({ platform }: Machine, first: string, ...others: string[]): string {
  const separator = platform === 'win32' ? '\\' : '/';
  return [first.replace(platform === 'win32' ? /[\\/]+$/ : /\/+$/, ''), ...others].join(separator);
}

/** In the folder that a variable names, or in a folder of the home directory. */
function inFolder(machine: Machine, named: string | undefined, folder: string[], file: string): string {
  return named ? join(machine, named, file) : join(machine, machine.home, ...folder, file);
}

/** The platform's folder for the settings of desktop programs. */
function applicationData(machine: Machine): string {
  const { platform, env, home } = machine;
  if (platform === 'win32') return env.APPDATA || join(machine, home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(machine, home, 'Library', 'Application Support');
  return env.XDG_CONFIG_HOME || join(machine, home, '.config');
}

/** The folder for settings that programs for a terminal use, also on macOS and Windows. */
function configFolder(machine: Machine): string {
  return machine.env.XDG_CONFIG_HOME || join(machine, machine.home, '.config');
}

function clineFolder(machine: Machine): string {
  return join(machine, applicationData(machine), 'Code', 'User', 'globalStorage', 'saoudrizwan.claude-dev');
}

function zedFolder(machine: Machine): string {
  if (machine.platform === 'win32') return join(machine, applicationData(machine), 'Zed');
  return machine.platform === 'darwin'
    ? join(machine, machine.home, '.config', 'zed')
    : join(machine, configFolder(machine), 'zed');
}

function gooseFolder(machine: Machine): string {
  return machine.platform === 'win32'
    ? join(machine, applicationData(machine), 'Block', 'goose', 'config')
    : join(machine, configFolder(machine), 'goose');
}
