import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { hashApiKey, isApiKey, SCOPES } from '@cer/control-plane';
import { runCommand, USAGE } from '../src/commands/run-command.js';
import { StartupError } from '../src/errors/startup-error.js';
import { openStore } from '../src/store/index.js';
import { runNode, type NodeEnvironment } from './node-process.js';

let folder: string;
let env: NodeEnvironment;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cer-commands-'));
  env = {
    DATABASE_URL: `sqlite:${join(folder, 'node.sqlite')}`,
    KEYS_FILE: join(folder, 'keys', 'keys.json'),
    COMMITMENT_SECRET_FILE: join(folder, 'keys', 'secrets.json'),
  };
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function command(args: readonly string[], members: NodeEnvironment = {}): Promise<string[]> {
  const lines: string[] = [];
  await runCommand(args, { ...env, ...members }, (line) => lines.push(line));
  return lines;
}

describe('the node’s commands', () => {
  it('init creates both key files once', async () => {
    const files = [env['KEYS_FILE'] ?? '', env['COMMITMENT_SECRET_FILE'] ?? ''];
    expect(await command(['init'])).toEqual([`made ${files.join(' and ')}`]);
    expect(files.map((file) => existsSync(file))).toEqual([true, true]);
    expect(await command(['init'])).toEqual(['nothing to do: both files are there']);
  });

  it('migrate prints the version each time', async () => {
    const [first] = await command(['migrate']);
    expect(first).toMatch(/schema version \d+$/);
    expect(await command(['migrate'])).toEqual([first]);
  });

  it('api-key create prints only a working key', async () => {
    const [all = '', ...rest] = await command(['api-key', 'create', '--tenant', 'acme']);
    const [one = ''] = await command(['api-key', 'create', '--tenant=acme', '--scopes', 'certify,register']);
    expect(rest).toEqual([]);
    expect([isApiKey(all), isApiKey(one), all === one]).toEqual([true, true, false]);
    const store = await openStore({ databaseUrl: env['DATABASE_URL'] ?? '', queueLimit: 1 });
    try {
      const [first, second] = [
        await store.tenants.findApiKey(hashApiKey(all)),
        await store.tenants.findApiKey(hashApiKey(one)),
      ];
      expect(first).toMatchObject({ tenantName: 'acme', scopes: SCOPES, active: true });
      expect(second).toMatchObject({ tenantId: first?.tenantId, scopes: ['certify', 'register'] });
    } finally {
      await store.close();
    }
  });

  it('api-key create refers to the control plane', async () => {
    const members = { CONTROL_PLANE_URL: 'https://dashboard.example', CONTROL_PLANE_TOKEN_FILE: join(folder, 'token') };
    await expect(command(['api-key', 'create', '--tenant', 'acme'], members)).rejects.toThrow(
      'https://dashboard.example',
    );
  });

  it.each([
    [['unknown']],
    [['init', 'more']],
    [['migrate', '--force']],
    [['api-key']],
    [['api-key', 'delete']],
    [['api-key', 'create']],
    [['api-key', 'create', '--tenant']],
    [['api-key', 'create', '--tenant', '']],
    [['api-key', 'create', '--tenant', '  ']],
    [['api-key', 'create', '--tenant', 'acme', 'more']],
    [['tenant', 'create']],
    [['tenant', 'create', '--name', '  ']],
    [['tenant', 'create', '--name', 'acme', 'more']],
    [['api-key', 'create', '--tenant', 'acme', '--scope', 'certify']],
    [['api-key', 'create', '--tenant', 'acme', '--scopes', 'certify,admin']],
    [['api-key', 'create', '--tenant', 'acme', '--scopes', '']],
    [['api-key', 'create', '--tenant', 'acme', '--scopes', '__proto__']],
  ])('refuses %j and prints usage', async (args) => {
    await expect(command(args)).rejects.toBeInstanceOf(StartupError);
    await expect(command(args)).rejects.toThrow(/Usage:|must be of|must have/);
  });

  it.each([[['help']], [['-h']], [['backup', '--help']], [['tenant', 'set', '-h']]])(
    'prints help: %j',
    async (args) => {
      expect(await command(args)).toEqual([USAGE.trimEnd()]);
    },
  );

  it('ends its help with examples that it takes', async () => {
    const [text = ''] = await command(['--help']);
    const examples = (text.split('Examples:\n')[1] ?? '').split('\n').map((line) => line.trim());
    expect(examples.length).toBeGreaterThan(1);
    const program = 'node apps/node/dist/main.js ';
    for (const example of examples) {
      expect(example.startsWith(program)).toBe(true);
      await expect(command(example.slice(program.length).split(' '))).resolves.toHaveLength(1);
    }
  });

  it('prints errors on stderr and help on stdout', async () => {
    const refused = await runNode(['api-key', 'create'], env);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toBe(`--tenant is required\n\n${USAGE}\n`);
    const help = await runNode(['--help'], {});
    expect([help.code, help.stdout, help.stderr]).toEqual([0, USAGE, '']);
    const badEnvironment = await runNode(['migrate'], { DATABASE_URL: 'canary', PORT: 'canary' });
    expect(badEnvironment.code).toBe(1);
    expect(badEnvironment.stderr).toMatch(/DATABASE_URL[^]*PORT|PORT[^]*DATABASE_URL/);
    expect(badEnvironment.stderr).not.toContain('canary');
  });
});
