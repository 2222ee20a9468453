import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ServerEntry } from '../../src/hosts/host.ts';
import { snippet } from '../../src/hosts/host-config.ts';
import { hosts } from '../../src/hosts/known-hosts.ts';

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
