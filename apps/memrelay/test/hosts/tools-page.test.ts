import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ServerEntry } from 'memrelay-mcp/hosts/host';
import { hostSnippet } from 'memrelay-mcp/hosts/host-snippet';
import { hosts } from 'memrelay-mcp/hosts/known-hosts';
import { describe, expect, it } from 'vitest';
import { snippet } from '../../src/hosts/host-config.ts';

const page = await readFile(fileURLToPath(new URL('../../../../docs/tools.md', import.meta.url)), 'utf8');
const local = (label: string): ServerEntry => ({
  kind: 'local',
  command: '/path/to/node',
  args: ['/path/to/memrelay/packages/mcp/bin/memrelay-mcp.mjs', `--label=${label}`],
});
const remote: ServerEntry = {
  kind: 'remote',
  url: 'https://relayer.example/api/mcp',
  headers: { Authorization: 'Bearer DELEGATE_PRIVATE_KEY', 'x-mem-account-id': 'ACCOUNT_ID' },
};

it.each(hosts)('the dashboard shows what the command writes for $title', (host) => {
  const signIn: ServerEntry = { kind: 'remote', url: 'https://relayer.example/api/mcp', headers: {} };
  for (const server of [local(host.title), remote, signIn]) {
    const entry = host.entry(server);
    if (entry) expect(hostSnippet(host, entry)).toBe(snippet(host, entry));
  }
});

describe('docs/tools.md', () => {
  it.each(hosts)('has a section for $title with what the command writes', (host) => {
    const section = new RegExp(`\\n## ${host.title}\\n([\\s\\S]*?)(?=\\n## |$)`).exec(page)?.[1] ?? '';
    expect(section).toContain(`npx memrelay mcp install ${host.name}`);
    expect(section).toContain(`](${host.docs})`);
    const blocks = [...section.matchAll(/```(json|toml|yaml)\n([\s\S]*?)\n```/g)];
    const entries = [local(host.title), remote]
      .map((server) => host.entry(server))
      .filter((entry) => entry !== undefined);
    expect(blocks.map(([, format, text]) => [format, text])).toEqual(
      entries.map((entry) => [host.format, snippet(host, entry)]),
    );
    const file = (platform: NodeJS.Platform): string =>
      host.configPath({
        home: platform === 'win32' ? '%USERPROFILE%' : '~',
        platform,
        env: { APPDATA: '%APPDATA%' },
      });
    for (const platform of ['linux', 'darwin', 'win32'] as const)
      expect(section, platform).toContain(`\`${file(platform)}\``);
  });
});
