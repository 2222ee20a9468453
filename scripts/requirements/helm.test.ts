import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { findBinary } from '@memrelay/dev-env/services/find-binary';
import { knownVariables } from '@memrelay/protocol/variables';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { repository, root } from './repository.ts';

/** Checks the Helm chart as far as that is possible without a cluster; rendering it needs `helm`. */

const chart = 'deploy/helm';
const templates = repository.paths.filter((path) => path.startsWith(`${chart}/templates/`));
const values = parse(repository.read(`${chart}/values.yaml`)) as Record<string, unknown>;

it('the values name variables of a relayer, and every other value is used by a template', () => {
  for (const name of Object.keys(values.env as object)) expect(knownVariables).toContain(name);
  const used = new Set(
    templates.flatMap((path) =>
      [...repository.read(path).matchAll(/\.Values\.([\w.]+)/g)].map(([, name]) => name!.split('.')[0]!),
    ),
  );
  expect([...used].sort()).toEqual(Object.keys(values).sort());
  const schema = JSON.parse(repository.read(`${chart}/values.schema.json`)) as { properties: object };
  expect(Object.keys(schema.properties).sort()).toEqual([...used, 'global'].sort());
});

it('the chart has the version of the packages', () => {
  const { version } = JSON.parse(repository.read('package.json')) as { version: string };
  expect(parse(repository.read(`${chart}/Chart.yaml`))).toMatchObject({ version, appVersion: version });
});

const helm = findBinary(['helm']);

interface Rendered {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the manifests of Kubernetes have many shapes
  spec: any;
}

describe.skipIf(helm === undefined)('the rendered chart', () => {
  const run = (...args: string[]): string =>
    execFileSync(helm!, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  // Without a cluster, helm assumes the version that it was built for
  const kubernetes = ['--kube-version', '1.31.0'];
  const render = (...args: string[]): Rendered[] =>
    parseAllDocuments(run('template', 'notes', join(root, chart), ...kubernetes, ...args))
      .map((document) => document.toJS() as Rendered | null)
      .filter((document) => document !== null);
  const of = (all: readonly Rendered[], kind: string) => all.find((one) => one.kind === kind);

  it('passes helm lint', () => {
    expect(run('lint', '--strict', join(root, chart))).toContain('0 chart(s) failed');
  });

  it('has probes, no rights, and a pod more during an upgrade', () => {
    const { spec } = of(render(), 'Deployment')!;
    expect(spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    const [relayer] = spec.template.spec.containers;
    expect(relayer.readinessProbe.httpGet).toEqual({ path: '/ready', port: 'http' });
    expect(relayer.livenessProbe.httpGet).toEqual({ path: '/live', port: 'http' });
    expect(relayer.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(spec.template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 10001 },
    });
  });

  it('updates the tables before the pods, with the database alone', () => {
    const job = of(render(), 'Job')!;
    expect(job.metadata.annotations!['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const [migrate] = job.spec.template.spec.containers;
    expect(migrate.args).toEqual(['relayer', 'migrate']);
    expect(migrate.env.map(({ name }: { name: string }) => name)).toEqual(['DATABASE_URL']);
    expect(migrate.envFrom).toBeUndefined();
    expect(of(render('--set', 'migration.enabled=false'), 'Job')).toBeUndefined();
  });

  it('has a disruption budget for several pods, and a network policy', () => {
    const all = render();
    expect(of(all, 'PodDisruptionBudget')!.spec.minAvailable).toBe(1);
    expect(of(render('--set', 'replicas=1'), 'PodDisruptionBudget')).toBeUndefined();
    const { spec } = of(all, 'NetworkPolicy')!;
    expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(spec.ingress).toHaveLength(2);
    const withoutMetrics = of(render('--set', 'env.METRICS_PORT='), 'NetworkPolicy')!;
    expect(withoutMetrics.spec.ingress).toHaveLength(1);
  });

  it('rejects values that it does not know', () => {
    expect(() => render('--set', 'replica=3')).toThrow(/replica/);
    expect(() => render('--set-string', 'env.port=3')).toThrow(/env/);
  });
});
