/** An amount of SUI or WAL from its billionths (MIST, FROST), without zeros at the end. */
export function coinAmount(billionths: bigint): string {
  const digits = String(billionths).padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return `${digits.slice(0, -9)}${fraction ? `.${fraction}` : ''}`;
}
