import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { knownVariables } from '@memrelay/protocol/variables';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { packages } from '../build/packages.mjs';
import { codeBlocks } from './markdown.ts';
import { repository, root } from './repository.ts';

/** Checks what `deploy/` says where no container engine and no systemd as process 1 is needed. */

const command = '/opt/memrelay/node_modules/memrelay/bin/memrelay.js';
const units = ['memrelay-relayer', 'memrelay-migrate'].map((name) => `deploy/systemd/${name}.service`);

it('the example of a relayer.env is the block of docs/going-to-mainnet.md', () => {
  const block = codeBlocks(repository.read('docs/going-to-mainnet.md')).find(
    ({ language }) => language === 'env',
  )!;
  expect(repository.read('deploy/relayer.env.example').trim()).toBe(block.code.trim());
});

describe('the Dockerfile', () => {
  const lines = repository
    .read('deploy/container/Dockerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const of = (instruction: string): string[] =>
    lines
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1));

  it('does its work in scripts that also run without containers', () => {
    for (const step of of('RUN'))
      expect(step).toMatch(/^sh \/(clone\/deploy\/container|tmp)\/(pack|install)\.sh /);
    for (const name of ['pack.sh', 'install.sh', 'healthcheck.mjs'])
      expect(repository.paths).toContain(`deploy/container/${name}`);
  });

  it('does not run as root, and names only what the package has', () => {
    expect(of('USER')).toEqual(['10001:10001']);
    expect(JSON.parse(of('ENTRYPOINT')[0]!)).toEqual(['node', command]);
    expect(Object.keys(packages.find(({ name }) => name === 'memrelay')!.bin!)).toContain('memrelay');
    expect(of('HEALTHCHECK')).toHaveLength(1);
    for (const [, name] of of('ENV')[0]!.matchAll(/(\w+)=/g))
      if (name !== 'HOME' && name !== 'NODE_ENV') expect(knownVariables).toContain(name);
  });
});

describe('the compose file', () => {
  const { services } = parse(repository.read('deploy/compose.yaml'), { merge: true }) as {
    services: Record<
      string,
      Record<string, never> & { environment?: object; image: string; depends_on?: object }
    >;
  };

  it('gives the relayer no rights, and starts it after its tables exist', () => {
    const { relayer } = services;
    expect(relayer).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      ports: ['127.0.0.1:8000:8000'],
      depends_on: { migrate: { condition: 'service_completed_successfully' } },
    });
    for (const name of Object.keys(relayer!.environment!)) expect(knownVariables).toContain(name);
  });

  it('pins images of others, keeps their data and never evicts nonces', () => {
    for (const name of ['database', 'redis']) {
      expect(services[name]!.image).toMatch(/:\d[\w.-]*$/);
      expect(services[name]!.volumes).toHaveLength(1);
    }
    expect(services.redis!.command).toEqual(expect.arrayContaining(['--maxmemory-policy', 'noeviction']));
  });
});

const hasSystemd = existsSync('/usr/bin/systemd-analyze');

describe('the systemd units', () => {
  it('run the command of the package with the settings of /etc/memrelay', () => {
    for (const unit of units) {
      const text = repository.read(unit);
      expect(text).toMatch(new RegExp(`^ExecStart=/usr/bin/env node ${command} relayer( migrate)?$`, 'm'));
      expect(text).toContain('EnvironmentFile=/etc/memrelay/relayer.env');
    }
  });

  it.skipIf(!hasSystemd)('pass systemd-analyze verify', () => {
    const paths = units.map((unit) => join(root, unit));
    expect(analyze('verify', '--man=no', ...paths)).toBe('');
  });

  it.skipIf(!hasSystemd)('are hardened: an exposure of at most 2 of 10', () => {
    for (const unit of units) {
      const [, level] = /exposure level for \S+: ([\d.]+)/.exec(
        analyze('security', '--offline=true', join(root, unit)),
      )!;
      expect(Number(level)).toBeLessThanOrEqual(2);
    }
  });
});

/** Its output, both streams. */
function analyze(...args: string[]): string {
  return execFileSync('sh', ['-c', '"$@" 2>&1', 'sh', 'systemd-analyze', ...args], { encoding: 'utf8' });
}
