import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

export interface Project {
  /** `project-NAME-12 hex digits` */
  namespace: string;
  /** What identifies the project: its git remote as `host/path`, else the path of its root */
  id: string;
  root: string;
}

/**
 * The project that a folder belongs to. A clone anywhere, and each of its worktrees, is the same project, because it has the same
 * remote (`origin`, else the first one). A repository without a remote, or a folder without a repository, is identified by its
 * path. Reads files only; git need not be installed.
 */
export function projectOf(folder: string): Project {
  const here = realPath(folder);
  const root = rootOf(here);
  const remote = root && remoteOf(root);
  const id = remote ? remoteId(remote) : `path:${root ?? here}`;
  const name = basename(remote ? id : (root ?? here));
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 12);
  return { namespace: `project-${slug(name)}-${digest}`, id, root: root ?? here };
}

/** `github.com/acme/shop` for each way to write that address, without credentials. */
export function remoteId(remote: string): string {
  const scp = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/\/)(.+)$/.exec(remote);
  const url = scp ? `ssh://${scp[1]}/${scp[2]}` : remote;
  if (!URL.canParse(url)) return withoutGit(remote);
  const { hostname, pathname, protocol } = new URL(url);
  const path = withoutGit(decoded(pathname));
  return protocol === 'file:' ? `file:${path}` : `${hostname.toLowerCase()}${path}`;
}

const withoutGit = (path: string): string =>
  path
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .replace(/\/+$/, '');

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function slug(name: string): string {
  return (
    name
      .normalize('NFKD')
      .replace(/[^a-zA-Z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .toLowerCase()
      .slice(0, 40) || 'folder'
  );
}

function rootOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (kindOf(join(at, '.git')) !== undefined) return at;
    if (at === dirname(at)) return undefined;
  }
}

function remoteOf(root: string): string | undefined {
  const config = read(join(gitDirectory(root), 'config'));
  if (config === undefined) return undefined;
  const remotes = [...config.matchAll(/^\s*\[remote "([^"\n]+)"\]([^[]*)/gm)].map(([, name, body]) => ({
    name,
    url: /^\s*url\s*=\s*(.+?)\s*$/m.exec(body ?? '')?.[1],
  }));
  return (remotes.find(({ name }) => name === 'origin') ?? remotes[0])?.url;
}

/** The directory with the configuration; a worktree shares that of its repository. */
function gitDirectory(root: string): string {
  const place = join(root, '.git');
  if (kindOf(place) === 'folder') return place;
  const target = /^gitdir:\s*(.+?)\s*$/m.exec(read(place) ?? '')?.[1];
  if (target === undefined) return place;
  const own = resolve(root, target);
  const common = read(join(own, 'commondir'))?.trim();
  if (!common) return own;
  return isAbsolute(common) ? common : resolve(own, common);
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isDirectory() ? 'folder' : 'file';
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
