import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { COMMANDS, loadCommands } from './commands/registry.js';
import { cer } from './testing/console.js';
import { sample } from './testing/files.js';
import { VERSION } from './version.js';

const NODE = 'http://127.0.0.1:1';
const HASH = `sha256:${'a'.repeat(64)}`;

describe('cer', () => {
  it('knows its version', async () => {
    expect(await cer(['--version'])).toEqual({ exitCode: 0, stdout: `${VERSION}\n`, stderr: '' });
    const packageJson: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(packageJson).toMatchObject({ version: VERSION });
  });

  it('explains each command with an example', async () => {
    for (const { name, examples } of await loadCommands()) {
      const words = name.split(' ');
      const byHelp = await cer(['help', ...words]);
      expect(byHelp.exitCode).toBe(0);
      expect(byHelp.stdout).toContain(examples[0]?.[0]);
      expect(await cer([...words, '--help'])).toEqual(byHelp);
    }
  });

  it.each(['--help', '-h'])('takes %s after -- as a file', async (name) => {
    for (const words of [['verify'], ['verify-package'], ['verify-project'], ['open'], ['keys', 'show']]) {
      const said = await cer([...words, '--', name]);
      expect(said).toMatchObject({ exitCode: 3, stdout: '' });
      expect(said.stderr).not.toContain('Usage');
    }
  });

  it.each([
    [
      ['log', 'monitor', 'node.example'],
      'URL: must be a http or https address, such as https://node.example (see: cer help log monitor)',
    ],
    [
      ['log', 'mirror', 'node.example', 'copy'],
      'URL: must be a http or https address, such as https://node.example (see: cer help log mirror)',
    ],
    [['lookup', 'x', '--node', 'x'], '--node: must be a http or https address, such as https://node.example'],
    [['certify', '-', '--node', NODE, '--api-key-file', 'none'], '--api-key-file: none: no such file'],
    [
      ['records', 'export', '--out', 'x.zip', '--node', NODE, '--api-key-file', '/'],
      '--api-key-file: /: is a directory, a file is expected',
    ],
    [
      ['admin', 'audit', 'verify', '--keys', sample('keys.json'), '--node', NODE, '--admin-secret-file', 'none'],
      '--admin-secret-file: none: no such file',
    ],
    [['verify', HASH], `${HASH}: no such file; by the hash, verify a record with cer verify --hash`],
    [['verify', HASH, '--node', NODE], '--node: is the name of a node here, not its address (see: cer help verify)'],
    [
      ['verify-project', 'x', '--node', NODE],
      '--node: is the name of a node here, not its address (see: cer help verify-project)',
    ],
    [
      ['verify-package', 'x', '--node', NODE],
      '--node: is the name of a node here, not its address (see: cer help verify-package)',
    ],
    [['keys', 'shw'], 'keys has no command shw (cer help keys lists its commands)'],
    [['keys', 'root', 'sgn'], 'keys root has no command sgn (cer help keys root lists its commands)'],
    [['admin', 'audit', '-x'], 'admin audit has no command -x (cer help admin audit lists its commands)'],
    [['keys', 'root', 'sign'], '--root is missing (see: cer help keys root sign)'],
    [['keys', 'root', 'sign-log'], '--root is missing (see: cer help keys root sign-log)'],
  ])('says what is wrong with a call: %j', async (args, message) => {
    expect(await cer(args)).toEqual({ exitCode: 3, stdout: '', stderr: `cer: ${message}\n` });
  });

  it('names the variable that holds a malformed address', async () => {
    for (const address of ['node.example', 'http://user:password@node.example']) {
      const { exitCode, stderr } = await cer(['lookup', HASH], { env: { CER_NODE_URL: address } });
      expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/^cer: CER_NODE_URL: /)]);
    }
  });

  it('names a file without a name', async () => {
    const said = { exitCode: 3, stdout: '', stderr: 'cer: an empty file name: no such file\n' };
    expect(await cer(['verify', ''])).toEqual(said);
    expect(await cer(['verify', sample('certified.json'), '--keys', ''])).toEqual(said);
  });

  it('names each command in the registry as it names itself', async () => {
    const commands = await loadCommands();
    expect(commands.map(({ name }) => name)).toEqual(COMMANDS.map(({ name }) => name));
  });

  it('lists the commands and exit codes', async () => {
    const { stdout } = await cer(['help']);
    for (const { name } of COMMANDS) expect(stdout).toContain(name);
    expect(stdout).toContain('Exit codes');
    expect((await cer(['--help'])).stdout).toBe(stdout);
  });

  it.each([[[]], [['frobnicate']], [['--frobnicate']], [['__proto__']], [['help', 'constructor']], [['keys']]])(
    '%j is a wrong call',
    async (argv) => {
      const said = await cer(argv);
      expect(said).toMatchObject({ exitCode: 3, stdout: '' });
      expect(said.stderr).toMatch(/^cer: [^\n]+\n$/);
    },
  );

  it.each([[['keys']], [['keys', '--help']], [['keys', 'root']], [['help', 'keys']]])(
    '%j names the commands that begin so',
    async (argv) => {
      const { stdout, stderr } = await cer(argv);
      expect(stdout + stderr).toContain('keys root init');
      expect(stdout + stderr).toContain('keys root sign');
      expect(stdout + stderr).not.toContain('records export');
    },
  );

  it('explains the commands that begin so', async () => {
    expect(await cer(['keys', 'root', '--help'])).toEqual(await cer(['help', 'keys', 'root']));
    expect(await cer(['keys', '-h'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('shows the keys of a node', async () => {
    const { exitCode, stdout } = await cer(['keys', 'show', sample('keys.json')]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Status +active/);
    expect(stdout).toMatch(/Fingerprint +sha256:[0-9a-f]{64}/);
    const json = await cer(['keys', 'show', sample('keys.json'), '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ nodeId: 'sample-node', keys: [{ status: 'active' }] });
  });
});
