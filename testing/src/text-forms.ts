/** The forms in which a file can contain a text: plain, UTF-16, hex, base64 at each alignment. */
export function formsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const wide = Buffer.from(text, 'utf16le');
  const hex = bytes.toString('hex');
  return [
    bytes,
    wide,
    Buffer.from(wide).swap16(),
    Buffer.from(hex),
    Buffer.from(hex.toUpperCase()),
    ...base64Forms(bytes),
    ...base64Forms(wide),
  ];
}

/** The base64 forms without the characters that depend on neighbouring bytes. Base64url differs only in two of 64 characters. */
function base64Forms(bytes: Buffer): Buffer[] {
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const core = encoded.slice(shift === 0 ? 0 : 4, -4);
    const url = core.replaceAll('+', '-').replaceAll('/', '_');
    return url === core ? [Buffer.from(core)] : [Buffer.from(core), Buffer.from(url)];
  });
}
