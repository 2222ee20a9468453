import { describe, expect, it } from 'vitest';
import { removeFromToml, setInToml } from '../../src/hosts/edit-toml.ts';
import { joinToml, splitToml } from '../../src/hosts/toml-tables.ts';

const path = ['mcp_servers', 'memrelay'];
const owned = ['command', 'args', 'url', 'http_headers'];
const values = { command: 'C:\\node.exe', args: ['a', 'b "c"'] };
const table = '[mcp_servers.memrelay]\ncommand = "C:\\\\node.exe"\nargs = ["a", "b \\"c\\""]\n';
const set = (text: string) => setInToml(text, path, values, owned);

const others = `# my settings
model = "gpt" # the best
notes = """
[mcp_servers.memrelay]
not a table, "quoted" once
"""
list = [
  "a", # ]
  'b]',
]

[mcp_servers.other]
command = "x"
env = { A = "1" }

# of the last
[[profiles]]
name = 'p'
`;

describe('a TOML configuration', () => {
  it('that is empty gets only the table', () => {
    expect(set('')).toBe(table);
  });

  it('gets the table at its end, and everything else stays the same byte for byte', () => {
    expect(set(others)).toBe(`${others}\n${table}`);
    expect(set(set(others))).toBe(set(others));
    expect(removeFromToml(set(others), path)).toBe(others);
    expect(joinToml(splitToml(others))).toBe(others);
  });

  it("keeps the user's keys and sub-tables of the entry", () => {
    const text = `[mcp_servers.memrelay]
url = "https://old.example"
# slow machine
startup_timeout_sec = 60
http_headers = { Authorization = "Bearer x" }

[mcp_servers.memrelay.env]
A = "1"

[mcp_servers.memrelay.http_headers]
x = "y"

[z]
`;
    expect(set(text)).toBe(`[mcp_servers.memrelay]
command = "C:\\\\node.exe"
args = ["a", "b \\"c\\""]
# slow machine
startup_timeout_sec = 60

[mcp_servers.memrelay.env]
A = "1"

[z]
`);
    expect(removeFromToml(text, path)).toBe('[z]\n');
  });

  it('keeps its line endings', () => {
    const text = set('a = 1\r\n\r\n[b]\r\nc = 2\r\n');
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r]/);
    expect(text.startsWith('a = 1\r\n\r\n[b]\r\nc = 2\r\n')).toBe(true);
    // A single "\r" is not valid TOML.
    expect(removeFromToml(text, path)).toBe('a = 1\r\n\r\n[b]\r\nc = 2\r\n');
  });

  it('writes headers as an inline table', () => {
    const headers = { Authorization: 'Bearer x', 'x-mem-account-id': '0x1' };
    expect(setInToml('', path, { url: 'http://r', http_headers: headers }, owned)).toBe(
      '[mcp_servers.memrelay]\nurl = "http://r"\nhttp_headers = { Authorization = "Bearer x", x-mem-account-id = "0x1" }\n',
    );
  });

  it('is rejected if broken, or if it has the table in another form', () => {
    for (const text of [
      'mcp_servers = {}\n',
      'mcp_servers.memrelay = { command = "x" }\n',
      'mcp_servers.memrelay.command = "x"\n',
      '[mcp_servers]\nmemrelay = { command = "x" }\n',
      'what is this\n',
      'a = [1,\n',
      'a = """\n',
    ])
      expect(() => set(text), text).toThrow();
    expect(set('[mcp_servers]\n')).toContain(table);
  });
});
