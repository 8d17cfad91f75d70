import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Files } from './files.js';
import { WEB_BUILD_FOLDER } from './verifier-under-test.js';

const ROOT = join(__dirname, '..', '..', '..');
const SCRIPT = join(ROOT, 'scripts', 'release-notes.mjs');
const built = readFileSync(join(WEB_BUILD_FOLDER, 'offline.html'));
const digest = createHash('sha256').update(built).digest('hex');
const redraw = readFileSync(join(WEB_BUILD_FOLDER, 'redraw.html'));
const redrawDigest = createHash('sha256').update(redraw).digest('hex');

describe('the offline file as built', () => {
  const again = new Files();
  afterAll(() => {
    again.remove();
  });

  const build = (mode: string): string =>
    execFileSync(process.execPath, [join(ROOT, 'apps', 'verifier', 'build', 'build.mjs'), again.folder], {
      encoding: 'utf8',
      env: { ...process.env, NODE_ENV: mode },
    });

  it.each([['production'], ['development'], ['test']])('is reproducible in %s mode', (mode) => {
    const output = build(mode);
    expect(output).toContain(`offline.html SHA-256 ${digest}`);
    expect(Number(/first load\s+gzip\s+([\d.]+) KiB/.exec(output)?.[1])).toBeLessThan(100);
  });

  it('contains no path of the build machine', () => {
    expect(built.includes(ROOT)).toBe(false);
    expect(built.toString('utf8')).not.toMatch(/node_modules|file:\/\/\/|sourceMappingURL/);
  });
});

describe('the release notes', () => {
  const files = new Files();
  afterAll(() => {
    files.remove();
  });

  function release(...args: readonly string[]): { readonly status: number | null; readonly text: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, '--root', files.folder, ...args], {
      encoding: 'utf8',
    });
    return { status, text: stdout + stderr };
  }

  it('record the SHA-256 and detect another file', () => {
    files.write('package.json', { version: '1.2.3' });
    files.write('CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n');
    const web = join(files.folder, 'apps', 'verifier', 'dist', 'web');
    mkdirSync(web, { recursive: true });
    for (const name of ['offline.html', 'redraw.html']) cpSync(join(WEB_BUILD_FOLDER, name), join(web, name));

    expect(release('--check')).toMatchObject({ status: 1, text: expect.stringContaining('has no notes of version') });
    expect(release('--date', '2026-11-21').status).toBe(0);
    expect(readFileSync(join(files.folder, 'CHANGELOG.md'), 'utf8')).toBe(
      `# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-21\n\nOffline verifier (\`offline.html\`): SHA-256 \`${digest}\`.\n\nPage that draws again (\`redraw.html\`): SHA-256 \`${redrawDigest}\`.\n\n### Added\n\n- A thing.\n`,
    );
    expect(release('--check').status).toBe(0);
    expect(release()).toMatchObject({ status: 1, text: expect.stringContaining('is released') });

    writeFileSync(join(web, 'redraw.html'), `${redraw.toString('utf8')}\n`);
    expect(release('--check')).toMatchObject({ status: 1, text: expect.stringContaining(redrawDigest) });
    writeFileSync(join(web, 'offline.html'), `${built.toString('utf8')}\n`);
    expect(release('--check')).toMatchObject({ status: 1, text: expect.stringContaining(digest) });
  });
});
