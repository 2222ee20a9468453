import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { root } from '../build/repository.mjs';
import { readAudit } from './audit.ts';
import { billArguments } from './bill-arguments.ts';
import { type Component, licenceList, unacceptedLicences } from './licence-list.ts';

const part = (name: string, id: string): Component => ({
  name,
  version: '1.0.0',
  licenses: [{ license: { id } }],
});

describe('the list of licences', () => {
  it('groups packages, without our own', () => {
    const components = [
      part('b', 'MIT'),
      part('a', 'MIT'),
      { ...part('c', 'ISC'), group: '@x' },
      part('own', 'MIT'),
    ];
    expect(licenceList(components, new Set(['own']))).toEqual([
      { licence: 'ISC', packages: ['@x/c 1.0.0'] },
      { licence: 'MIT', packages: ['a 1.0.0', 'b 1.0.0'] },
    ]);
    expect(licenceList([{ name: 'a', version: '1' }], new Set())[0]!.licence).toBe('unknown');
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['MIT AND ISC', true],
    ['MIT AND GPL-3.0-only', false],
    ['AGPL-3.0-only', false],
    ['unknown', false],
  ])('accepts %s: %s', (licence, accepted) => {
    expect(unacceptedLicences([{ licence, packages: ['a 1'] }])).toHaveLength(accepted ? 0 : 1);
  });

  it('has only accepted licences for everything that is installed with the packages', () => {
    const bill = execFileSync('npm', billArguments(), {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    });
    const { components } = JSON.parse(bill) as { components: Component[] };
    expect(components.length).toBeGreaterThan(50);
    expect(unacceptedLicences(licenceList(components, new Set()))).toEqual([]);
  });
});

describe('the audit', () => {
  it('reports only grave vulnerabilities', () => {
    const of = (severity: string) => JSON.stringify({ vulnerabilities: { tar: { severity, range: '<1' } } });
    expect(readAudit(of('moderate'))).toEqual({ state: 'clean' });
    expect(readAudit(of('critical'))).toEqual({ state: 'vulnerable', advisories: ['tar <1 (critical)'] });
  });

  it.each([
    ['', 'npm audit printed no JSON'],
    ['{"message":"405 Method Not Allowed"}', '405 Method Not Allowed'],
    ['{"error":{"summary":"offline"}}', 'offline'],
  ])('does not take a missing answer for a clean one: %s', (output, reason) => {
    expect(readAudit(output)).toEqual({ state: 'unanswered', reason });
  });
});
