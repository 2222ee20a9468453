/**
 * One message of JSON and raw bytes between relayer and sidecar: `u32le head length ‖ head JSON ‖ payload`.
 * Base64 inside JSON costs five times as much (measured), so bytes are sent unencoded.
 */
export function encodeFrame(head: unknown, payloads: readonly Uint8Array[]): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(head));
  const total = payloads.reduce((sum, part) => sum + part.byteLength, 4 + json.byteLength);
  const frame = new Uint8Array(total);
  new DataView(frame.buffer).setUint32(0, json.byteLength, true);
  frame.set(json, 4);
  let offset = 4 + json.byteLength;
  for (const part of payloads) {
    frame.set(part, offset);
    offset += part.byteLength;
  }
  return frame;
}

/** Returns the parsed head and the payload bytes as views. Throws `RangeError` or `SyntaxError` on bad bytes. */
export function decodeFrame(frame: Uint8Array): { head: unknown; payload: Uint8Array } {
  if (frame.byteLength < 4) throw new RangeError('frame shorter than its length field');
  const headLength = new DataView(frame.buffer, frame.byteOffset).getUint32(0, true);
  if (headLength > frame.byteLength - 4) throw new RangeError('frame head longer than the frame');
  const head = JSON.parse(
    new TextDecoder('utf-8', { fatal: true }).decode(frame.subarray(4, 4 + headLength)),
  );
  return { head, payload: frame.subarray(4 + headLength) };
}
