/**
 * An object id in its canonical spelling, `0x` and 64 lower-case hex digits; undefined when it is none. As in Sui's
 * own tools, leading zeros may be missing after `0x`, and `0x` before all 64 digits.
 */
export function parseObjectId(text: string): string | undefined {
  const [, short, full] = /^(?:0x([0-9a-fA-F]{1,64})|([0-9a-fA-F]{64}))$/.exec(text) ?? [];
  const digits = short ?? full;
  return digits === undefined ? undefined : `0x${digits.toLowerCase().padStart(64, '0')}`;
}
