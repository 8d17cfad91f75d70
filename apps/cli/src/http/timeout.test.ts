import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { cer, type Said, type Surroundings } from '../testing/console.js';
import { Folder, sample } from '../testing/files.js';
import { LocalServers } from '../testing/local-servers.js';

const servers = new LocalServers();
const folder = new Folder();
const root = folder.file('root.json');
const env = { CER_API_KEY: 'key', CER_ADMIN_SECRET: 'secret' };
const hash = `sha256:${'a'.repeat(64)}`;

beforeAll(async () => {
  await cer(['keys', 'root', 'init', '--out', root], { env });
});

afterEach(async () => {
  jest.useRealTimers();
  await servers.close();
});

afterAll(() => {
  folder.remove();
});

/** A node that takes every request and never answers. */
async function silent(onRequest: () => void = () => undefined): Promise<string> {
  return servers.serve(onRequest);
}

const commands: readonly [string, (node: string) => readonly string[]][] = [
  ['certify', (node) => ['certify', sample('execution.json'), '--node', node]],
  ['attest', (node) => ['attest', sample('sealed.json'), '--node', node]],
  ['register-project', (node) => ['register-project', sample('project.json'), '--node', node]],
  ['lookup', (node) => ['lookup', hash, '--node', node]],
  ['verify --hash', (node) => ['verify', '--hash', hash, '--node', node]],
  ['verify', (node) => ['verify', sample('certified.json'), '--keys', node]],
  ['verify-project', (node) => ['verify-project', sample('project.json'), '--keys', node]],
  // The keys are asked for before the package is read.
  ['verify-package', (node) => ['verify-package', sample('certified.json'), '--keys', node]],
  ['keys show', (node) => ['keys show', node].flatMap((word) => word.split(' '))],
  ['keys history verify', (node) => ['keys', 'history', 'verify', node, '--root', hash, '--node-id', 'node-1']],
  ['keys root sign', (node) => ['keys', 'root', 'sign', '--root', root, '--history', node, '--dry-run']],
  [
    'review',
    (node) => [
      ...['review', hash, '--decision', 'approved', '--reviewer', 'A', '--node', node],
      ...['--values', folder.file(`${node.replace(/\W/g, '-')}.json`)],
    ],
  ],
  ['log proof', (node) => ['log', 'proof', hash, '--node', node]],
  ['admin audit verify', (node) => ['admin', 'audit', 'verify', '--node', node, '--keys', sample('keys.json')]],
];

describe('the time that a node has to answer', () => {
  it.each(commands)('is --timeout: %s', async (_name, argv) => {
    const said = await cer([...argv(await silent()), '--timeout', '0.05'], { env: { ...env, CER_TIMEOUT: '100' } });
    expect(said.stdout + said.stderr).toMatch(/within 0\.05 seconds/);
    expect(said.exitCode).toBe(1);
  });

  it.each(commands)('is CER_TIMEOUT without the flag: %s', async (_name, argv) => {
    const said = await cer(argv(await silent()), { env: { ...env, CER_TIMEOUT: '0.06' } });
    expect(said.stdout + said.stderr).toMatch(/within 0\.06 seconds/);
  });

  it.each(['keys show', 'lookup'])('is one second in a message: %s', async (name) => {
    const argv = commands.find(([of]) => of === name)?.[1](await silent()) ?? [];
    expect((await cer([...argv, '--timeout', '1'], { env })).stderr).toMatch(/within 1 second(?!s)/);
  });

  it('is silence for an export', async () => {
    const argv = ['records', 'export', '--out', folder.file('a.zip'), '--node', await silent(), '--timeout', '0.05'];
    const { exitCode, stderr } = await cer(argv, { env });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('did not respond')]);
  });

  it.each([
    ['attest', 10],
    ['certify', 30],
  ])('is a default that suits %s: %d seconds', async (name, seconds) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    let arrived = (): void => undefined;
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const node = await silent(() => {
      arrived();
    });
    const argv = commands.find(([of]) => of === name)?.[1](node) ?? [];
    let said: Said | undefined;
    const running = cer(argv, { env }).then((end) => {
      said = end;
    });
    await arrival;
    jest.advanceTimersByTime(seconds * 1000 - 1);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(said).toBeUndefined();
    jest.advanceTimersByTime(1);
    await running;
    expect(said?.stderr).toContain(`did not respond within ${seconds} seconds`);
  });

  it.each<[string, readonly string[], Surroundings]>([
    ['--timeout', ['--timeout', '0'], { env }],
    ['--timeout', ['--timeout', '1e3'], { env }],
    ['--timeout', ['--timeout', '86401'], { env }],
    ['--timeout', ['--timeout='], { env }],
    ['CER_TIMEOUT', [], { env: { ...env, CER_TIMEOUT: 'soon' } }],
  ])('is refused unless it is seconds: %s %j', async (source, flags, surroundings) => {
    const said = await cer(['lookup', hash, '--node', await silent(), ...flags], surroundings);
    expect(said).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(`${source}: must be seconds, more than 0 and at most 86400, for example 2.5`),
    });
  });

  it('is in the help of every such command', async () => {
    for (const [, argv] of commands) {
      const words = argv('x').slice(
        0,
        argv('x').findIndex((word) => /^x$|\.json$|^sha256|^-/.test(word)),
      );
      const { stdout } = await cer(['help', ...words]);
      expect(stdout).toContain('--timeout SECONDS');
    }
  });
});
