import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectOf, remoteId } from '@memrelay/capture/project-namespace-node';
import { newNamespaceField } from '@memrelay/protocol/fields';
import { afterAll, expect, test } from 'vitest';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'memrelay-projects-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function repository(name: string, config = ''): string {
  const root = join(base, name);
  mkdirSync(join(root, '.git'), { recursive: true });
  mkdirSync(join(root, 'src', 'deep'), { recursive: true });
  writeFileSync(join(root, '.git', 'config'), `[core]\n\tbare = false\n${config}`);
  return root;
}
const remote = (url: string, name = 'origin'): string =>
  `[remote "${name}"]\n\turl = ${url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;

test('names every way to write an address the same, without credentials', () => {
  const addresses = [
    'git@github.com:acme/shop.git',
    'https://github.com/acme/shop',
    'https://github.com/acme/shop.git/',
    'https://ana:ghp_token@GitHub.com/acme/shop.git',
    'ssh://git@github.com:22/acme/shop.git',
  ];
  expect([...new Set(addresses.map(remoteId))]).toEqual(['github.com/acme/shop']);
});

test('two clones of a project share its namespace, from any folder in them', () => {
  const one = repository('one', remote('git@github.com:acme/shop.git'));
  const two = repository(
    'two',
    remote('https://upstream.example/x.git', 'upstream') + remote('https://github.com/acme/shop'),
  );
  const project = projectOf(one);
  expect(project).toMatchObject({ id: 'github.com/acme/shop', root: one });
  expect(project.namespace).toMatch(/^project-shop-[0-9a-f]{12}$/);
  expect(projectOf(join(two, 'src', 'deep')).namespace).toBe(project.namespace);
  const fork = repository('fork', remote('https://github.com/ana/shop'));
  expect(projectOf(fork).namespace).not.toBe(project.namespace);
});

test('a worktree belongs to the project of its repository', () => {
  const main = repository('main', remote('https://git.example/team/Böt & Co.git'));
  const own = join(main, '.git', 'worktrees', 'feature');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'commondir'), '../..\n');
  const tree = join(base, 'feature');
  mkdirSync(tree);
  writeFileSync(join(tree, '.git'), `gitdir: ${own}\n`);
  expect(projectOf(tree).namespace).toBe(projectOf(main).namespace);
  expect(newNamespaceField.safeParse(projectOf(tree).namespace).success).toBe(true);
});

test('without a remote, the path of the root identifies the project, also through a link', () => {
  const lonely = repository('lonely');
  symlinkSync(lonely, join(base, 'link'));
  expect(projectOf(join(lonely, 'src'))).toMatchObject({ id: `path:${lonely}`, root: lonely });
  expect(projectOf(join(base, 'link')).namespace).toBe(projectOf(lonely).namespace);
  const plain = join(base, 'plain');
  mkdirSync(plain);
  expect(projectOf(plain).id).toBe(`path:${plain}`);
  expect(projectOf(plain).namespace).not.toBe(projectOf(lonely).namespace);
});
