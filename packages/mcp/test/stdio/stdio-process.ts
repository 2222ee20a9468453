import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../bin/memrelay-mcp.mjs', import.meta.url));

export interface Message {
  id?: number | null;
  method?: string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

export interface ToolResult {
  text: string;
  isError: boolean;
}

/** The package as a host runs it: a process with one JSON-RPC message per line. */
export interface StdioProcess {
  child: ChildProcess;
  /** All messages on stdout, in order; a line that is not JSON fails the pending requests */
  messages: Message[];
  stderr(): string;
  send(line: string): void;
  request(method: string, params?: object): Promise<Message>;
  /** The first matching message from now on */
  next(fits: (message: Message) => boolean): Promise<Message>;
  /** `initialize` and its notification */
  open(): Promise<Message>;
  tools(): Promise<string[]>;
  call(name: string, args?: object): Promise<ToolResult>;
  /** Closes stdin and waits until the process has ended */
  end(): Promise<number | null>;
}

export interface StdioOptions {
  args?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Path of another Node; default: the current one */
  node?: string;
}

/** Starts the package with this home. Of the current environment it gets only PATH. */
export function startStdio(home: string, { args = [], env = {}, node }: StdioOptions = {}): StdioProcess {
  // SSH: a test must not open a browser on the machine it runs on.
  const environment = { PATH: process.env.PATH, HOME: home, SSH_CONNECTION: 'test', ...env };
  const child = spawn(node ?? process.execPath, [bin, ...args], { env: environment, stdio: 'pipe' });
  const messages: Message[] = [];
  const looks = new Set<() => void>();
  let failure: Error | undefined;
  let stderr = '';
  let lastId = 0;
  const changed = (): void => {
    for (const look of [...looks]) look();
  };
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  createInterface({ input: child.stdout }).on('line', (line) => {
    try {
      messages.push(JSON.parse(line) as Message);
    } catch {
      failure = new Error(`not the protocol: ${line}`);
    }
    changed();
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  void ended.then((code) => {
    failure ??= new Error(`it ended (${code}): ${stderr}`);
    changed();
  });
  const wait = (from: number, fits: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = messages.slice(from).find(fits);
        if (!found && !failure) return;
        looks.delete(look);
        if (found) resolve(found);
        else reject(failure!);
      };
      looks.add(look);
      look();
    });
  const stdio: StdioProcess = {
    child,
    messages,
    stderr: () => stderr,
    send: (line) => void child.stdin.write(`${line}\n`),
    next: (fits) => wait(messages.length, fits),
    request(method, params) {
      const id = ++lastId;
      const answer = wait(messages.length, (message) => message.id === id && message.method === undefined);
      stdio.send(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) }));
      return answer;
    },
    async open() {
      const answer = await stdio.request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      });
      stdio.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
      return answer;
    },
    async tools() {
      const { result } = await stdio.request('tools/list');
      return (result!.tools as { name: string }[]).map(({ name }) => name);
    },
    async call(name, args = {}) {
      const { result } = await stdio.request('tools/call', { name, arguments: args });
      const content = result!.content as { text: string }[];
      return { text: content.map(({ text }) => text).join('\n'), isError: result!.isError === true };
    },
    end() {
      child.stdin.end();
      return ended;
    },
  };
  return stdio;
}
