import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEncSession } from '@memrelay/sdk/enc-session';
import { createSigner } from '@memrelay/sdk/signer';
import { RelayerWorld } from '../../src/relayer-world.ts';
import { provideServices } from '../../src/services/provide.ts';
import { CommandError, runCommand } from '../../src/services/run-command.mjs';
import { provideRunDirectory } from '../../src/services/run-directory.ts';

/**
 * `npm run test:api`: schemathesis (PyPI) makes requests from the OpenAPI document and sends them, signed, to a relayer on a
 * local network. Fails on an internal error, and on a status, content type or body that the document does not describe.
 * Arguments go to `schemathesis run`, such as `--max-examples 1000`.
 */

/** Version of the tool, and what signs requests. */
const packages = ['schemathesis==4.32.5', 'cryptography>=42'];
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
];
/** Minutes that a session is valid; a longer run would get refusals only */
const sessionMinutes = 30;
const folder = fileURLToPath(new URL('../../../node_modules/.cache/memrelay-schemathesis', import.meta.url));

const program = await install();
if (program) process.exitCode = await fuzz(program, process.argv.slice(2));
else process.exitCode = 1;

/** Installs the tool into a virtual environment. Returns its path; undefined, with a message, if it cannot be installed. */
async function install(): Promise<string | undefined> {
  const path = join(folder, 'bin', 'schemathesis');
  if (existsSync(path)) return path;
  process.stderr.write('Installing schemathesis from PyPI, once …\n');
  try {
    await runCommand('python3', ['-m', 'venv', folder]);
    await runCommand(join(folder, 'bin', 'pip'), ['install', '--quiet', ...packages]);
    return path;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    process.stderr.write(`Cannot install schemathesis: ${error.message}\n${error.output}`);
    return undefined;
  }
}

async function fuzz(path: string, args: readonly string[]): Promise<number> {
  const removeRunDirectory = provideRunDirectory();
  const services = await provideServices();
  Object.assign(process.env, services.environment);
  const world = await RelayerWorld.create();
  try {
    const { delegate, accountId } = world.owner;
    const now = { creationTimeMs: Date.now() - 10_000, ttlMin: sessionMinutes };
    const session = await createEncSession({
      signer: createSigner(Buffer.from(delegate.privateKey, 'hex')),
      packageId: world.network.info.packageId,
      ...now,
    });
    await world.client().rememberAndWait('Ada keeps bees.');
    const child = spawn(
      path,
      [
        '--config-file',
        fileURLToPath(new URL('./schemathesis.toml', import.meta.url)),
        'run',
        `${world.relayer.url}/openapi.json`,
        '--checks',
        checks.join(','),
        // Streams that stay open, and routes that need a bearer token or an operator's setting
        ...['Tools', 'Sign-in'].flatMap((tag) => ['--exclude-tag', tag]),
        '--suppress-health-check',
        'all',
        '--warnings',
        'off',
        '--continue-on-failure',
        ...args,
      ],
      {
        stdio: 'inherit',
        // It keeps the requests that failed in its working directory, and tries them first the next time
        cwd: folder,
        env: {
          ...process.env,
          SCHEMATHESIS_HOOKS: fileURLToPath(new URL('./signed_requests.py', import.meta.url)),
          FUZZ_PRIVATE_KEY: delegate.privateKey,
          FUZZ_ACCOUNT_ID: accountId,
          FUZZ_SESSION: Buffer.from(JSON.stringify(session)).toString('base64'),
        },
      },
    );
    const [code] = (await once(child, 'close')) as [number | null];
    return code ?? 1;
  } finally {
    await world.close();
    await services.stop();
    removeRunDirectory();
  }
}
