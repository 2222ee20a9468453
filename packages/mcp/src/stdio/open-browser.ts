import { spawn } from 'node:child_process';

/**
 * Opens a page in the user's browser. Returns false when there is none here, as over SSH, or when it cannot be started;
 * never throws and never waits for it.
 */
export async function openBrowser(
  url: string,
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const command = browserCommand(env, platform);
  if (command === undefined || !/^https?:\/\//.test(url)) return false;
  const [program, ...args] = command;
  return new Promise((resolve) => {
    // No shell: the URL holds "&" and "#". No stdio: stdout belongs to the protocol.
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, env });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function browserCommand(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): [program: string, ...args: string[]] | undefined {
  // A browser that opened there would not be in front of the person.
  if (env.SSH_CONNECTION || env.SSH_TTY || env.SSH_CLIENT) return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}
