import type { KnownModel } from './known-models.ts';

/** `LICENSE` of a model package. `apacheText` is the full text of that licence, which a published package needs. */
export function licenceText({ copyright, upstream }: KnownModel, apacheText: string | undefined): string {
  if (copyright === undefined)
    return (
      apacheText ??
      `The model (${upstream}) is licensed under the Apache License, Version 2.0:\nhttps://www.apache.org/licenses/LICENSE-2.0\n`
    );
  return `MIT License

Copyright (c) ${copyright}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;
}

/** `README.md` of a model package. */
export function modelCard({ manifest, summary, upstream, source }: KnownModel): string {
  const shown = (prefix: string): string => (prefix === '' ? 'none' : `\`"${prefix}"\``);
  return `# ${manifest.name}

An embedding model for memrelay. ${summary}.

| | |
| --- | --- |
| Model | ${upstream} |
| Licence | ${manifest.licence} |
| Weights | ONNX, 8-bit, ${(source.weights.bytes / 1e6).toFixed(1)} MB |
| Taken from | \`${source.artifact}\` (Maven Central), unchanged |
| SHA-256 of the weights | \`${source.weights.sha256}\` |
| Dimension | ${manifest.dimension} |
| Pooling | mean of the last hidden state, scaled to length 1 |
| Tokenizer | BERT WordPiece, uncased; at most ${manifest.maxTokens} tokens |
| Prefix of questions | ${shown(manifest.queryPrefix)} |
| Prefix of texts | ${shown(manifest.documentPrefix)} |

Install it with \`npx memrelay model add ${manifest.name}\`.
`;
}
