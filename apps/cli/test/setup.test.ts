import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Folder } from '../src/testing/files.js';

// The set-up of a fresh checkout: scripts/setup, scripts/sample.mjs and .ci/run, each as a separate process.

const CHECKOUT = join(__dirname, '..', '..', '..');
const folder = new Folder();
afterAll(() => {
  folder.remove();
});

/** Runs an expression over one of the setup modules; @returns what it gave, through JSON. */
function evaluate(module: string, expression: string): unknown {
  const url = pathToFileURL(join(CHECKOUT, 'scripts', 'setup', module)).href;
  const script = `import * as it from ${JSON.stringify(url)}; console.log(JSON.stringify(${expression}));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('the version of Node', () => {
  it('is accepted exactly where package.json allows it', () => {
    const versions = ['18.20.8', '20.18.3', '20.19.0', '21.7.3', '22.11.0', '22.12.0', '23.11.0', '24.0.0', '26.1.0'];
    expect(evaluate('ensure-node.mjs', `${JSON.stringify(versions)}.filter(it.isSupported)`)).toEqual([
      '20.19.0',
      '22.12.0',
      '24.0.0',
      '26.1.0',
    ]);
  });
});

describe('npm test', () => {
  const jestArguments = (...args: readonly string[]): unknown =>
    evaluate('../test/jest-arguments.mjs', `it.jestArguments(${JSON.stringify(args)}, ['node', 'cli'])`);

  it('runs the workspaces that it names', () => {
    expect(jestArguments('cli')).toEqual(['--selectProjects', 'cli']);
    expect(jestArguments('cli', 'verify', 'node', '-t', 'node')).toEqual([
      'verify',
      '--selectProjects',
      'cli',
      'node',
      '-t',
      'node',
    ]);
  });

  it('has its temporary files in memory where there is room', () => {
    const memoryFolder = (options: object): unknown =>
      evaluate('../test/memory-folder.mjs', `it.memoryFolder(${JSON.stringify(options)}) ?? null`);
    const parent = folder.file('memory');
    mkdirSync(parent);
    const made = memoryFolder({ parent, room: 1024 });
    expect(made).toMatch(/\/memory\/cer-tests-\w{6}$/);
    expect(statSync(String(made)).mode & 0o777).toBe(0o711);
    expect(readdirSync(String(made))).toEqual([]);
    expect(memoryFolder({ parent, room: 2 ** 60 })).toBeNull();
    expect(memoryFolder({ parent: join(parent, 'not-there'), room: 1024 })).toBeNull();
    expect(memoryFolder({ parent: '/proc', room: 1024 })).toBeNull();
    expect(readdirSync(parent)).toHaveLength(1);
  });

  it('passes everything else to jest', () => {
    expect(jestArguments()).toEqual([]);
    expect(jestArguments('verify', '-t', 'cli')).toEqual(['verify', '-t', 'cli']);
    expect(jestArguments('--selectProjects', 'cli')).toEqual(['--selectProjects', 'cli']);
  });
});

describe('a failing npm ci', () => {
  it.each([
    ['npm error code ENOSPC', /disk is full/],
    ['npm error gyp ERR! not found: make', /no compiler/],
    ['npm error gyp ERR! stack Error: This is most likely not a problem with node-gyp, network', /headers of Node/],
    [
      'npm error request to https://there failed, reason: getaddrinfo ENOTFOUND\n`make` got signal: 9',
      /not be compiled/,
    ],
    ['npm error gyp ERR! stack Error: `make` failed with exit code: 2', /not be compiled/],
    ['npm error warn install getaddrinfo ENOTFOUND\n`gyp` failed with exit code: 1', /not be prepared/],
    ['npm error code ENOTFOUND\nnpm error network request to https://registry', /registry cannot be reached/],
    ['npm error code EACCES', /may not write/],
    ['npm error `npm ci` can only install packages when your package.json and', /do not fit/],
    ['npm error something new', /Installing the packages failed/],
  ])('is explained: %s', (output, sentence) => {
    const { message, remedy } = evaluate(
      'ensure-dependencies.mjs',
      `(({ message, remedy }) => ({ message, remedy }))(it.explain(${JSON.stringify(output)}))`,
    ) as { readonly message: string; readonly remedy: string };
    expect(message).toMatch(sentence);
    expect(remedy).toContain(output.split('\n')[0]);
  });
});

describe('missing packages', () => {
  it('are noticed by name and version, not by file age', () => {
    const lock = (version: string): string =>
      JSON.stringify({
        packages: {
          '': {},
          'node_modules/a': { version },
          'node_modules/for-another-system': { version, optional: true },
          'node_modules/@cer/x': { link: true },
        },
      });
    folder.write('package-lock.json', lock('2.0.0'));
    const isStale = (): unknown => evaluate('ensure-dependencies.mjs', `it.isStale(${JSON.stringify(folder.path)})`);
    expect(isStale()).toBe(true);
    mkdirSync(folder.file('node_modules'));
    folder.write('node_modules/.package-lock.json', lock('1.0.0'));
    expect(isStale()).toBe(true);
    folder.write('node_modules/.package-lock.json', lock('2.0.0'));
    expect(isStale()).toBe(false);
    folder.write('node_modules/.setup.json', { abi: 'of another Node' });
    expect(isStale()).toBe(true);
  });

  it('are installed without scripts, which run in a separate step', () => {
    const work = new Folder();
    const npm = work.write('npm.js', `if (process.argv[2] === 'rebuild' && process.env.BREAKS) process.exit(1);`);
    work.write('package-lock.json', { packages: {} });
    mkdirSync(work.file('node_modules/better-sqlite3'), { recursive: true });
    const compileFor = (line: string): string => work.write('node_modules/better-sqlite3/index.js', line);
    compileFor(`throw new Error('compiled against a different Node.js version');`);
    const step = (name: string, breaks = ''): string => {
      const url = pathToFileURL(join(CHECKOUT, 'scripts', 'setup', 'ensure-dependencies.mjs')).href;
      const options = `{ root: ${JSON.stringify(work.path)}, log: console.log }`;
      const script = `import * as it from ${JSON.stringify(url)}; await it.${name}(${options}).catch((error) => console.log(error.message, error.remedy, '!'));`;
      const env = { ...process.env, npm_execpath: npm, BREAKS: breaks };
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', env });
      return stdout.replaceAll(/\d+ s/g, '1 s');
    };
    expect(step('ensurePackages')).toBe(
      'Installing packages (npm ci) ...\nInstalling packages (npm ci) ... done in 1 s\n',
    );
    expect(step('ensureCompiled', 'yes')).toContain('!');
    const unusable = step('ensureCompiled');
    expect(unusable).toContain('better-sqlite3 was compiled, and this Node cannot load it.');
    expect(unusable).toMatch(/npm config delete nodedir.*\n[^!]*different Node\.js version[^!]*!/s);
    compileFor('module.exports = class {};');
    const compiled = 'Preparing packages (npm rebuild) ...\nPreparing packages (npm rebuild) ... done in 1 s\n';
    expect([step('ensureCompiled'), step('ensureCompiled')]).toEqual([compiled, '']);
    work.remove();
  });
});

describe('the headers for what is compiled', () => {
  it('are those of the running Node, whatever npm is configured for', () => {
    const write = (name: string, [major, minor, patch]: readonly string[]): string => {
      const versions = { MAJOR: major, MINOR: minor, PATCH: patch };
      const lines = Object.entries(versions).map(([part, number]) => `#define NODE_${part}_VERSION ${number}\n`);
      mkdirSync(folder.file(join(name, 'include', 'node')), { recursive: true });
      folder.write(join(name, 'include', 'node', 'node_version.h'), lines.join(''));
      return folder.file(name);
    };
    const other = write('other-node', ['18', '20', '8']);
    const running = write('running-node', process.versions.node.split('.'));
    const found = (...folders: readonly string[]): unknown =>
      evaluate('ensure-dependencies.mjs', `it.headersOfThisNode(${JSON.stringify(folders)}) ?? null`);
    expect([found(other, running), found(running, other), found(other)]).toEqual([running, running, null]);
  });

  it('register no hooks for wrapped objects, which end processes', () => {
    const flagsOf = (header: string): unknown => {
      mkdirSync(folder.file('node/include/node'), { recursive: true });
      folder.write('node/include/node/node_object_wrap.h', header);
      const [headers, changed] = [folder.file('node'), folder.file('changed')].map((path) => JSON.stringify(path));
      return evaluate('object-wrap.mjs', `it.objectWrapFlags(${headers}, ${changed}) ?? null`);
    };
    expect(flagsOf('ObjectWrap() {\n}\n')).toBeNull();
    const changed = folder.file('changed/node_object_wrap.h');
    expect(flagsOf('ObjectWrap() {\n  AddCleanupHook();\n}\nvoid AddCleanupHook() {\n}\n')).toBe(
      `-include "${changed}"`,
    );
    expect(readFileSync(changed, 'utf8')).toBe('ObjectWrap() {\n}\nvoid AddCleanupHook() {\n}\n');
  });
});

describe('the compiler', () => {
  it('is never called by its name, which may be that of TypeScript 6', () => {
    const workspaces = evaluate('../workspaces.mjs', `it.workspacesIn(${JSON.stringify(CHECKOUT)})`) as {
      folder: string;
    }[];
    const scripts = [CHECKOUT, ...workspaces.map(({ folder: path }) => path)]
      .map(
        (path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { scripts?: Record<string, string> },
      )
      .flatMap(({ scripts: named = {} }) => Object.values(named));
    expect(scripts.filter((script) => script.includes('scripts/tsc.mjs')).length).toBeGreaterThan(10);
    expect(scripts.filter((script) => /(^|[ &])tsc /.test(script))).toEqual([]);
    const { stdout } = spawnSync(process.execPath, ['scripts/tsc.mjs', '-v'], { cwd: CHECKOUT, encoding: 'utf8' });
    expect(stdout).toMatch(/^Version 7\./);
  });
});

describe('the set-up lock', () => {
  it('admits one process at a time and replaces a dead holder', async () => {
    const lock = folder.file('held.lock');
    const log = folder.write('log', '');
    // The id of a process that has ended.
    folder.write('held.lock', String(spawnSync(process.execPath, ['-e', '']).pid));
    const url = pathToFileURL(join(CHECKOUT, 'scripts', 'setup', 'lock.mjs')).href;
    const script = `
      import { appendFileSync } from 'node:fs';
      import { setTimeout as sleep } from 'node:timers/promises';
      import { withLock } from ${JSON.stringify(url)};
      await withLock(${JSON.stringify(lock)}, () => {}, async () => {
        appendFileSync(${JSON.stringify(log)}, 'in ');
        await sleep(50);
        appendFileSync(${JSON.stringify(log)}, 'out ');
      });`;
    const ends = Array.from({ length: 4 }, () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
      return new Promise((resolve) => child.on('close', resolve));
    });
    expect(await Promise.all(ends)).toEqual([0, 0, 0, 0]);
    expect(readFileSync(log, 'utf8')).toBe('in out '.repeat(4));
  });
});

describe('an interrupted set-up', () => {
  it('ends only when the program it runs has ended', () => {
    const url = pathToFileURL(join(CHECKOUT, 'scripts', 'setup', 'run-program.mjs')).href;
    const ended = folder.file('ended');
    const slow = folder.write(
      'slow.mjs',
      `import { writeFileSync } from 'node:fs';
      const alive = setInterval(() => {}, 1000);
      process.on('SIGTERM', () => setTimeout(() => {
        writeFileSync(${JSON.stringify(ended)}, '');
        clearInterval(alive);
      }, 100));
      process.kill(process.ppid, 'SIGTERM');`,
    );
    const script = `
      import { existsSync } from 'node:fs';
      import { runNode } from ${JSON.stringify(url)};
      await runNode([${JSON.stringify(slow)}], { cwd: '.' }).catch(({ message }) => {
        console.log(message, existsSync(${JSON.stringify(ended)}));
      });`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(stdout).toBe('interrupted (SIGTERM). true\n');
  });
});

describe('npm run sample', () => {
  it('seals, verifies, and catches a changed character', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(CHECKOUT, 'scripts', 'sample.mjs')], {
      cwd: CHECKOUT,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('VERIFIED: integrity only, signed by no node');
    expect(stdout).toContain('FAILED (CERTIFICATE_HASH_MISMATCH)');
    expect(stdout).toContain('certificateHash: does not match the content');
  });
});

describe('.ci/run', () => {
  /**
   * Runs it with an npm that only pretends: `npm test` leaves totals, the command `failing` fails.
   * @param alone totals of the test files that run again; they fail unless nothing did
   * @param killing the command that kills the shell that runs it
   */
  function ci(
    totals: string,
    failing: string,
    alone = '{"failed":1}',
    killing = 'nothing',
  ): { status: number | null; lines: string[]; stderr: string } {
    const bin = new Folder();
    const npm = bin.write(
      'npm',
      `#!/bin/sh
      case "$*" in "${failing} "*) failed=1 ;; *) failed=0 ;; esac
      case "$*" in "run ${killing} "*) kill -KILL $PPID ;; esac
      case "$*" in
        *--runTestsByPath*) printf '%s' '${alone}' > "$CER_TEST_TOTALS"; case '${alone}' in *'"failed":0'*) failed=0 ;; esac ;;
        test*) printf '%s' '${totals}' > "$CER_TEST_TOTALS" ;;
      esac
      exit $failed\n`,
    );
    chmodSync(npm, 0o755);
    const { status, stdout, stderr } = spawnSync('bash', [join(CHECKOUT, '.ci', 'run')], {
      env: { ...process.env, PATH: `${bin.path}:${process.env['PATH'] ?? ''}` },
      encoding: 'utf8',
    });
    bin.remove();
    return { status, lines: stdout.trimEnd().split('\n'), stderr };
  }

  const SUITES = ['a', 'b', 'c', 'd'].map((name) => join(CHECKOUT, `${name}.test.ts`));
  const suite = (name: string, passed: number): object => ({ path: join(CHECKOUT, name), passed });
  const totalsOf = (passed: number, failed: number, ...failedSuites: readonly object[]): string =>
    JSON.stringify({ passed, failed, skipped: 0, failedSuites, suites: SUITES });

  const good = totalsOf(12, 0);

  it('ends with the totals when all checks passed', () => {
    const { status, lines, stderr } = ci(good, 'nothing');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(lines.at(-1)).toBe('12 passed, 0 failed');
  });

  it('ends with the totals and 1 when only tests failed', () => {
    const { status, lines } = ci(totalsOf(11, 1, suite('a.test.ts', 3)), 'test', totalsOf(3, 1, suite('a.test.ts', 3)));
    expect({ status, last: lines.at(-1) }).toEqual({ status: 1, last: '11 passed, 1 failed' });
  });

  it('repeats a failed test file alone and names it', () => {
    const first = totalsOf(11, 1, suite('a.test.ts', 3));
    const { status, lines, stderr } = ci(first, 'test', totalsOf(4, 0));
    expect({ status, stderr, last: lines.at(-1) }).toEqual({ status: 0, stderr: '', last: '12 passed, 0 failed' });
    expect(lines).toContain('Run again, alone: a.test.ts');
    expect(lines).toContain('FAILED BESIDE OTHERS, PASSED ALONE: a.test.ts');
  });

  it('fails with a test file that fails again', () => {
    const [a, b] = [suite('a.test.ts', 3), suite('b.test.ts', 0)];
    const { status, lines } = ci(totalsOf(11, 2, a, b), 'test', totalsOf(5, 1, suite('b.test.ts', 1)));
    expect({ status, last: lines.at(-1) }).toEqual({ status: 1, last: '13 passed, 1 failed' });
    expect(lines.filter((line) => line.startsWith('FAILED'))).toEqual([
      'FAILED BESIDE OTHERS, PASSED ALONE: a.test.ts',
    ]);
  });

  it('does not run more than three again', () => {
    const names = ['a', 'b', 'c', 'd'].map((name) => suite(`${name}.test.ts`, 1));
    const { status, lines } = ci(totalsOf(11, 4, ...names), 'test', totalsOf(8, 0));
    expect({ status, last: lines.at(-1) }).toEqual({ status: 1, last: '11 passed, 4 failed' });
  });

  const CHECKS = ['setup', 'lint:code', 'types', 'deps', 'test:workflows', 'lint:format', 'build'];

  it.each(CHECKS.map((name) => `run ${name}`))('ends with 1 and one line when npm %s fails', (name) => {
    const { status, lines, stderr } = ci(good, name);
    expect(status).toBe(1);
    expect(stderr).toBe(`FAILED: npm ${name} --silent\n`);
    expect(lines.at(-1)).not.toMatch(/passed/);
  });

  it('ends with 1 when a test was skipped', () => {
    const { status, stderr } = ci(JSON.stringify({ passed: 12, failed: 0, skipped: 1, failedSuites: [] }), 'nothing');
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'FAILED: 1 tests were skipped\n' });
  });

  it('ends with 1 when the checks beside the tests are killed', () => {
    const { status, stderr } = ci(good, 'nothing', undefined, 'types');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^FAILED: the checks beside the tests$/m),
    });
  });

  it('ends with 1 when no test ran or jest itself failed', () => {
    expect(ci('', 'test').stderr).toContain('before any test had run');
    expect(ci(good, 'test').stderr).toContain('although no test failed');
  });
});
