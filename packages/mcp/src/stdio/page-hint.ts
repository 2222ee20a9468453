import { isLoopback } from '@memrelay/sdk/trusted-origins-node';

/** A hint to show with the link to a sign-in page that this machine serves; otherwise empty. */
export function pageHint(webUrl: string): string[] {
  if (!isLoopback(webUrl)) return [];
  const { port, protocol } = new URL(webUrl);
  const at = port || (protocol === 'https:' ? '443' : '80');
  return [
    `This machine serves that page. If it does not open, the local system is not running: start it (npm start), then sign in again. For a browser on another machine, open a tunnel first: ssh -L ${at}:127.0.0.1:${at} HOST`,
  ];
}
