/** A module whose only function is a relaxed swizzle of two zero vectors. */
const probe = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x04, 0x01, 0x60, 0x00, 0x00],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x0a, 0x2c, 0x01, 0x2a, 0x00],
  ...[0xfd, 0x0c, ...new Array<number>(16).fill(0)],
  ...[0xfd, 0x0c, ...new Array<number>(16).fill(0)],
  ...[0xfd, 0x80, 0x02, 0x1a, 0x0b],
]);

/** Whether this platform supports relaxed SIMD in WebAssembly. Node 20 and some browsers do not. */
export const hasRelaxedSimd: boolean = compiles(probe);

function compiles(module: Uint8Array<ArrayBuffer>): boolean {
  try {
    new WebAssembly.Module(module);
    return true;
  } catch {
    return false;
  }
}
