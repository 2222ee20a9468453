import { homedir, userInfo } from 'node:os';
import { posix, resolve, win32 } from 'node:path';

/** The user's home directory. An empty HOME counts as unset; otherwise keys would be searched for in the working directory. */
export function homeDirectory(): string {
  return homedir() || userInfo().homedir;
}

/**
 * The data directory of the local system: `MEM_DATA_DIR`, else the platform's directory for application data. It need not
 * exist.
 */
export function dataDir(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homeDirectory(),
): string {
  if (env.MEM_DATA_DIR) return resolve(env.MEM_DATA_DIR);
  if (platform === 'win32')
    return win32.join(env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), 'memrelay');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'memrelay');
  // The XDG base directory specification: a relative path is invalid and ignored.
  const xdg = env.XDG_DATA_HOME;
  const base = xdg && posix.isAbsolute(xdg) ? xdg : posix.join(home, '.local', 'share');
  return posix.join(base, 'memrelay');
}
