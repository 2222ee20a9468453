/** A file that the page has made. */
export interface MadeFile {
  name: string;
  /** Of a blob, valid until the page is left */
  address: string;
  /** Bytes */
  size: number;
}

/** Lets the browser save a file. The address stays valid, so that a link can save it again. */
export function download(name: string, parts: BlobPart[], type: string): MadeFile {
  const blob = new Blob(parts, { type });
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  return { name, address, size: blob.size };
}
