import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { writeLinkFile } from './link-file.ts';

/**
 * Opens a page in the user's browser through a private file, so that the link is not in the arguments of a process. Returns
 * a function that removes the file, or undefined if there is no browser (e.g. over SSH) or it cannot be started. Never
 * throws and never waits for the browser.
 */
export async function openBrowser(
  url: string,
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Promise<(() => void) | undefined> {
  const command = browserCommand(env, platform);
  if (command === undefined || !/^https?:\/\//.test(url)) return undefined;
  const [program, ...args] = command;
  // Without the file there is no safe way to open the link; the user still sees it.
  const file = await writeLinkFile(url).catch(() => undefined);
  if (!file) return undefined;
  return new Promise((resolve) => {
    // No stdio: stdout belongs to the protocol.
    const child = spawn(program, [...args, pathToFileURL(file.path).href], {
      stdio: 'ignore',
      detached: true,
      env,
    });
    child.once('error', () => {
      file.remove();
      resolve(undefined);
    });
    child.once('spawn', () => {
      child.unref();
      resolve(() => file.remove());
    });
  });
}

function browserCommand(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): [program: string, ...args: string[]] | undefined {
  // Over SSH a browser would open on this machine, where the user does not see it.
  if (env.SSH_CONNECTION || env.SSH_TTY || env.SSH_CLIENT) return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}
