import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** How a program is run. `run` returns its output, both streams in the order of arrival. */
export interface RunOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  /** Written to its stdin, which is closed after that */
  input?: string;
  timeoutMs?: number;
}

/** A program failed; the message contains the end of its output. */
export class RunError extends Error {
  override name = 'RunError';
  readonly output: string;
  constructor(what: string, how: string, output: string) {
    super(`${what}: ${how}\n${output.trim().slice(-1_500)}`);
    this.output = output;
  }
}

/** A package that a case needs cannot be fetched from the registry, so the case proves nothing. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
}

const networkVariable =
  /^(PATH|npm_config_(registry|cache|userconfig|globalconfig|cafile|(https_?)?proxy|noproxy)|(https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(FILE|DIR))$/i;

const networkTrouble =
  /code (E404|ETARGET|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT)/;

/** A directory outside the clone in which packages are installed, with a separate home directory for all programs. */
export class Workbench {
  readonly root: string;
  readonly home: string;
  #installed = new Map<string, Promise<string>>();

  constructor(root: string) {
    this.root = root;
    this.home = join(root, 'home');
    mkdirSync(this.home, { recursive: true });
  }

  /** The environment of a stranger: of our variables it has only those needed to reach the registry from this machine. */
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

  /** Creates a folder with only these files. */
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
   * Creates a folder in which only these packages (or tarballs) are installed. Packages are installed once per `name`. Throws
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

  /** Runs a program to its end and returns its output. Throws `RunError` unless it exits with code 0 in time. */
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
