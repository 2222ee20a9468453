import type { LocalSystem } from './local-system.ts';
import type { Tarballs } from './tarballs.ts';
import type { Workbench } from './workbench.ts';

/** State shared by the cases. */
export interface World {
  bench: Workbench;
  tarballs: Tarballs;
  /** The running system; started by the first case that needs it */
  system(): Promise<LocalSystem>;
  /** Installs our packages `own` from their tarballs and `others` from the registry */
  install(name: string, own: readonly string[], others?: readonly string[]): Promise<string>;
}

/** One use of the packages by a person without a clone. */
export interface StrangerCase {
  name: string;
  /** Returns a remark for the table. Throws when it does not work. */
  run(world: World): Promise<string>;
}

/** Throws unless the output has the text. */
export function expectIn(output: string, text: string): void {
  if (!output.includes(text)) throw new Error(`"${text}" is not in the output:\n${output.slice(-1_500)}`);
}
