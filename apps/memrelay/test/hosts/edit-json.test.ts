import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonAt, removeFromJson, setInJson } from '../../src/hosts/edit-json.ts';
import { parseJsonTree } from '../../src/hosts/json-tree.ts';

const read = (text: string) => parseJsonTree(text)!.value;
const path = ['mcpServers', 'memrelay'];
const entry = { command: 'node', args: ['a b'] };

describe('a JSON configuration', () => {
  it('that is empty gets only the entry', () => {
    for (const text of ['', '\n'])
      expect(JSON.parse(setInJson(text, path, entry))).toEqual({ mcpServers: { memrelay: entry } });
  });

  it('that has only comments keeps them before the entry', () => {
    const set = setInJson('\ufeff// nothing yet\r\n', path, entry);
    expect(set).toMatch(/^\ufeff\/\/ nothing yet\r\n\{\r\n/);
    expect(jsonAt(set, [])).toEqual({ mcpServers: { memrelay: entry } });
  });

  it('keeps a byte order mark, and comments between every two tokens', () => {
    const text = `\ufeff/*0*/{/*1*/"mcpServers"/*2*/:/*3*/{/*4*/"a"/*5*/:/*6*/"/*no*/"/*7*/,/*8*/}/*9*/,/*10*/} // end`;
    const set = setInJson(text, path, entry);
    expect(set.startsWith('\ufeff/*0*/{')).toBe(true);
    for (let i = 0; i <= 10; i++) expect(set).toContain(`/*${i}*/`);
    expect(jsonAt(set, ['mcpServers'])).toEqual({ a: '/*no*/', memrelay: entry });
    const removed = removeFromJson(set, path);
    expect(read(removed)).toEqual(read(text));
    for (let i = 0; i <= 10; i++) expect(removed).toContain(`/*${i}*/`);
  });

  it('keeps comments, order, indentation and trailing commas', () => {
    const text = `// mine
{
    "theme": "dark", // not light
    /* servers */
    "mcpServers": {
        "other": { "command": "x", },  // keep
        // the last word
    },
}
`;
    const set = setInJson(text, path, entry);
    expect(set).toBe(`// mine
{
    "theme": "dark", // not light
    /* servers */
    "mcpServers": {
        "other": { "command": "x", },  // keep
        // the last word
        "memrelay": {
            "command": "node",
            "args": [
                "a b"
            ]
        },
    },
}
`);
    expect(setInJson(set, path, entry)).toBe(set);
    expect(removeFromJson(set, path)).toBe(text);
  });

  it('that is strict JSON stays strict JSON', () => {
    for (const text of [
      '{}',
      '{"a":1}',
      '{"mcpServers":{"other":{}}}',
      '{\r\n\t"mcpServers": {\r\n\t\t"other": {}\r\n\t}\r\n}\r\n',
      '{"mcpServers":{"memrelay":{"command":"old"},"z":1}}',
      '{"mcpServers":{"memrelay":1,"memrelay":2}}',
    ]) {
      const set = setInJson(text, path, entry);
      expect(JSON.parse(set)).toEqual({
        ...JSON.parse(text),
        mcpServers: { ...JSON.parse(text).mcpServers, memrelay: entry },
      });
      const removed = JSON.parse(removeFromJson(set.replace('"memrelay":1,', ''), path));
      expect(removed.mcpServers.memrelay).toBeUndefined();
    }
  });

  it('keeps its line endings', () => {
    const first = setInJson('{\r\n  "a": 1\r\n}\r\n', path, entry);
    const set = setInJson(first, path, { ...entry, more: ['x'] });
    expect(set.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });

  it('with the quotes and keys of JSON5 is read and kept', () => {
    const text = "{\n  mcp: {\n    servers: { 'a-b': { command: 'it\\'s' }, n: -0x10, f: .5 },\n  },\n}\n";
    const set = setInJson(text, ['mcp', 'servers', 'memrelay'], entry);
    expect(jsonAt(set, ['mcp', 'servers'])).toEqual({
      'a-b': { command: "it's" },
      n: -16,
      f: 0.5,
      memrelay: entry,
    });
    expect(set).toContain("'a-b': { command: 'it\\'s' }");
  });

  it("is rejected if broken, or if something else is in the entry's place", () => {
    for (const text of [
      '{',
      '{"a" 1}',
      '{"a": }',
      '[1',
      '{"a": 1} x',
      '{"mcpServers": "no"}',
      '[]',
      '{"a": tru}',
      '{"a": "b}',
      "{a: 'b}",
      '{"a: 1}',
      '{"a": 1,,}',
      '{,}',
      '{} /* open',
    ])
      expect(() => setInJson(text, path, entry), text).toThrow();
    expect(() => setInJson('{\n\n "a" 1}', path, entry)).toThrow('line 3: expected ":"');
    expect(() => setInJson("{\n a: 'b',\n c: 'd\n}", path, entry)).toThrow('line 3: ');
  });

  it('loses no data, whatever it contains', () => {
    const key = fc.string({ minLength: 1, maxLength: 5 });
    const config = fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.jsonValue())));
    fc.assert(
      fc.property(config, fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify({ ...value, mcpServers: { other: value } }, null, indent);
        const set = setInJson(text, path, entry);
        expect(JSON.parse(set).mcpServers).toEqual({
          other: JSON.parse(text).mcpServers.other,
          memrelay: entry,
        });
        expect(read(removeFromJson(set, path))).toEqual(read(text));
      }),
      { numRuns: 80 },
    );
  });
});
