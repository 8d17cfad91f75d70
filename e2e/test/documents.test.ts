import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { proseOf, readDocument } from './documentation/blocks.js';
import { root } from './npm-start.js';

const DOCUMENTS = execFileSync('git', ['ls-files', '*.md', 'llms.txt'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n');
const MAPS = ['ARCHITECTURE.md', 'CONTRIBUTING.md'];

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(document: string): readonly string[] {
  return [...proseOf(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The folders in a folder of the repository. */
function foldersIn(path: string): readonly string[] {
  const entries = readdirSync(join(root, path), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Links to other documents or to headings that do not exist. */
function brokenLinks(document: string): readonly string[] {
  const prose = proseOf(document).replaceAll(/`[^`\n]*`/g, '');
  const links = [...prose.matchAll(/\]\((?!https?:)([^)\s]*)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? document : join(dirname(document), path);
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
}

describe('the documents', () => {
  it.each(DOCUMENTS)('%s has no broken link', (document) => {
    expect(brokenLinks(document)).toEqual([]);
  });

  it.each(MAPS)('%s names only paths that exist', (document) => {
    const named = [...proseOf(document).matchAll(/`((?:apps|packages|docs|e2e|scripts|bench|examples)\/[^`\s]*)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !/[<>*]/.test(path));
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('ARCHITECTURE.md names every folder of every workspace', () => {
    const page = readDocument('ARCHITECTURE.md');
    const missing = ['packages', 'apps'].flatMap((group) =>
      foldersIn(group).flatMap((name) => {
        const line = new RegExp(`^- \\*\\*${group}/${name}\\.?\\*\\*.*?(?=^- |^$)`, 'ms').exec(page)?.[0] ?? '';
        const folders = foldersIn(join(group, name, 'src')).filter((folder) => !line.includes(`\`${folder}\``));
        return folders.map((folder) => `${group}/${name}/src/${folder}`);
      }),
    );
    expect(missing).toEqual([]);
  });

  it('the README has at most 150 lines', () => {
    expect(readDocument('README.md').split('\n').length).toBeLessThanOrEqual(150);
  });

  it('the README links every workspace', () => {
    const readme = readDocument('README.md');
    const workspaces = ['packages', 'apps'].flatMap((group) => foldersIn(group).map((name) => `${group}/${name}`));
    expect(workspaces.filter((folder) => !readme.includes(`](${folder})`))).toEqual([]);
  });

  it('docs/configuration.md is as the schemas say', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['scripts/configuration.mjs', '--check'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'docs/configuration.md: as the schemas say\n', stderr: '' });
  });
});
