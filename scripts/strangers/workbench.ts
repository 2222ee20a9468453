import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What a program printed, when it ended with exit code 0. Both streams, in the order in which they came. */
export interface RunOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  /** Written to its stdin, which is closed after that */
  input?: string;
  timeoutMs?: number;
}

/** A program failed; the message has the end of what it printed. */
export class RunError extends Error {
  override name = 'RunError';
  readonly output: string;
  constructor(what: string, how: string, output: string) {
    super(`${what}: ${how}\n${output.trim().slice(-1_500)}`);
    this.output = output;
  }
}

/** A package that is needed for a case cannot be fetched from the registry: nothing is known about the case. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
}

const networkVariable =
  /^(PATH|npm_config_(registry|cache|userconfig|globalconfig|cafile|(https_?)?proxy|noproxy)|(https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(FILE|DIR))$/i;

const networkTrouble =
  /code (E404|ETARGET|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT)/;

/** A place outside the clone where packages are installed, with a home of its own for everything that runs there. */
export class Workbench {
  readonly root: string;
  readonly home: string;
  #installed = new Map<string, Promise<string>>();

  constructor(root: string) {
    this.root = root;
    this.home = join(root, 'home');
    mkdirSync(this.home, { recursive: true });
  }

  /** The environment of a stranger: none of ours but what it takes to reach the registry from this machine. */
  get environment(): NodeJS.ProcessEnv {
    const passed = Object.entries(process.env).filter(([name]) => networkVariable.test(name));
    return {
      npm_config_cache: join(homedir(), '.npm'),
      npm_config_userconfig: join(homedir(), '.npmrc'),
      ...Object.fromEntries(passed),
      HOME: this.home,
      CI: 'true',
      NO_COLOR: '1',
      NEXT_TELEMETRY_DISABLED: '1',
    };
  }

  /** An empty folder with these files. */
  folder(name: string, files: Record<string, string> = {}): string {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(path, file, '..'), { recursive: true });
      writeFileSync(join(path, file), text);
    }
    return path;
  }

  /**
   * A folder in which these packages (or tarballs) are installed, and nothing else. The same name is installed once. Throws
   * `UnreachableError`.
   */
  install(name: string, packages: readonly string[]): Promise<string> {
    const before = this.#installed.get(name);
    if (before) return before;
    const installing = this.#install(name, packages);
    this.#installed.set(name, installing);
    return installing;
  }

  async #install(name: string, packages: readonly string[]): Promise<string> {
    const cwd = this.folder(name, { 'package.json': '{ "private": true, "type": "module" }\n' });
    await this.run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd }).catch(
      (error: unknown) => {
        const trouble = error instanceof RunError ? networkTrouble.exec(error.output)?.[1] : undefined;
        throw trouble ? new UnreachableError(`${packages.join(' ')} (${trouble})`) : error;
      },
    );
    return cwd;
  }

  /** Runs a program to its end and returns what it printed. Throws `RunError` unless it ends with 0 in time. */
  run(command: string, args: readonly string[], options: RunOptions): Promise<string> {
    const { cwd, env, input, timeoutMs = 180_000 } = options;
    const child = spawn(command, args, { cwd, env: { ...this.environment, ...env }, stdio: 'pipe' });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.stdin.on('error', () => undefined).end(input ?? '');
    const what = [command.split('/').at(-1), ...args].join(' ').slice(0, 120);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
      child.once('error', (error) => reject(new RunError(what, error.message, output)));
      child.once('close', (code, signal) => {
        clearTimeout(timer);
        if (code === 0) resolve(output);
        else reject(new RunError(what, signal ? `ended by ${signal}` : `exit code ${code}`, output));
      });
    });
  }
}
