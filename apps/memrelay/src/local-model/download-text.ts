import { dataSize } from '../terminal/data-size.ts';

/** A download as one line: a bar, bytes and total. The total is an estimate; the bar stays full beyond it. */
export function downloadText(): {
  begin(totalBytes: number): void;
  update(bytes: number): void;
  render(width: number): string;
} {
  let total = 1;
  let done = 0;
  return {
    begin(totalBytes) {
      total = Math.max(1, totalBytes);
      done = 0;
    },
    update(bytes) {
      done = Math.max(done, bytes);
    },
    render(width) {
      const text = `${dataSize(done)} of ${dataSize(Math.max(total, done))}`;
      const room = Math.min(40, width - text.length - 1);
      const full = Math.floor(Math.min(1, done / total) * room);
      return room < 8 ? text : `${'█'.repeat(full)}${'░'.repeat(room - full)} ${text}`;
    },
  };
}
