const units = ['B', 'KB', 'MB', 'GB', 'TB'];

/** `850 B`, `12.3 KB`, `4.0 GB`: an amount of data, in powers of 1,000. */
export function dataSize(bytes: number): string {
  const power = Math.min(units.length - 1, bytes < 1_000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return power === 0 ? `${bytes} B` : `${(bytes / 1_000 ** power).toFixed(1)} ${units[power]}`;
}
