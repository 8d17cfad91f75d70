import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blocksOf, type Block } from './documentation/blocks.js';
import { Terminal, type Ran } from './documentation/terminal.js';
import { freeBase, PATIENCE_MS, root, Start, type Services } from './npm-start.js';

// Runs the code blocks of the documents in their order, on services that run as the documents say. The blocks of
// docs/verify-by-hand.md run in apps/cli/test/verify-by-hand.test.ts, which also compares what they print.

const TOUR = ['README.md', 'docs/tour.md', 'docs/for-auditors.md'];
const BACKUP = 'docs/backup.md';
const OPERATIONS = ['docs/operations.md', BACKUP, 'docs/root-keys.md'];
const HARDWARE = 'docs/hardware-keys.md';

/** Blocks that do not run here: their document, a text in them, and the reason. */
const NOT_RUN: readonly (readonly [document: string, text: string, reason: string])[] = [
  ['README.md', 'npm start', 'this test is started by the one command and starts the services by the other'],
  ['README.md', 'flowchart', 'a drawing'],
  ['README.md', '@cer/client', 'the beginning of a program that apps/node/test/client runs'],
  ['docs/for-auditors.md', 'quorum both', 'a file with the keys of logs and witnesses'],
  ['docs/for-auditors.md', 'Producers  counted', 'output; the tests of cer verify-package have such lines'],
  ['docs/operations.md', '"endpoints"', 'a file; apps/node/test/alerts reads it as the node does'],
  ...[
    'DATA=.data',
    'cer log mirror',
    'cp -p "$SECRETS"',
    'log recover',
    'main.js restore accept',
    'cer log monitor',
  ].map((text) => [BACKUP, text, 'e2e/test/backup runs it under load'] as const),
  ['docs/operations.md', 'docker compose up', 'npm run test:compose runs it'],
  ['docs/operations.md', 'docker compose run --rm -T witness', 'npm run test:compose runs it'],
  [BACKUP, 'infra/compose/backup.sh', 'npm run test:compose runs it'],
  [BACKUP, 'infra/compose/restore.sh', 'npm run test:compose runs it'],
  [BACKUP, 'node-cli keys replace', 'apps/node/test/signing-keys/lost-keys-file runs it'],
  [BACKUP, 'pg_dump', 'e2e/test/backup runs it where the programs are'],
  [BACKUP, 'pg_restore', 'e2e/test/backup runs it where the programs are'],
  [HARDWARE, 'apt-get', 'installs a package; npm test has installed it where it can'],
  [HARDWARE, '/path/to/module.so', "needs a vendor's module"],
];

const reasonNotToRun = ({ document, text }: Block): string | undefined =>
  NOT_RUN.find(([of, part]) => of === document && text.includes(part))?.[2];

const folder = mkdtempSync(join(tmpdir(), 'cer-documents-'));
const state = { XDG_STATE_HOME: join(folder, 'state') };

/** The blocks of a document that run, as rows of `it.each`. */
function rowsOf(document: string, ...languages: readonly string[]): { readonly at: string; readonly block: Block }[] {
  return blocksOf(document)
    .filter((block) => languages.includes(block.language) && reasonNotToRun(block) === undefined)
    .map((block) => ({ at: `${block.document}:${block.line}`, block }));
}

const succeeded = (ran: Ran): void => {
  expect({ status: ran.status, stderr: ran.status === 0 ? '' : `${ran.stdout}${ran.stderr}` }).toEqual({
    status: 0,
    stderr: '',
  });
};

afterAll(() => {
  for (const [document, text, reason] of NOT_RUN) process.stderr.write(`${document}: "${text}" not run: ${reason}\n`);
});

describe('the code blocks', () => {
  const blocks = [...TOUR, ...OPERATIONS, HARDWARE].flatMap(blocksOf);

  it('all have a language that a test runs', () => {
    const others = blocks.filter(({ language }) => !['sh', 'js', 'sql', 'env', 'mermaid'].includes(language));
    expect(others.filter((block) => reasonNotToRun(block) === undefined)).toEqual([]);
  });

  it('include every block of the list of exceptions', () => {
    const unused = NOT_RUN.filter(([of, part]) => !blocks.some((b) => b.document === of && b.text.includes(part)));
    expect(unused).toEqual([]);
  });
});

describe('the tour', () => {
  const own = join(folder, 'tour');
  let started: Start;
  let services: Services;
  let terminal: Terminal;

  beforeAll(async () => {
    const base = await freeBase();
    started = new Start(join(own, '.data'), base);
    services = await started.services(join(own, '.data'));
    terminal = new Terminal(own, {
      env: state,
      substitutions: [
        ['http://127.0.0.1:4100', services.node.url],
        ['https://node.example', services.node.url],
        // The quarter of the example is over: this test certifies now.
        ['2026-04-01', '2999-04-01'],
      ],
    });
  }, PATIENCE_MS);
  afterAll(async () => {
    expect(await started.interrupt()).toBe(0);
    terminal.close();
  }, PATIENCE_MS);

  it.each(TOUR.flatMap((document) => rowsOf(document, 'sh', 'js')))('$at runs', ({ block }) => {
    if (services.renderer === undefined && block.text.includes('/api/render')) {
      process.stderr.write(`${block.document}:${block.line} not run: no browser on this machine\n`);
      return;
    }
    if (block.language === 'js') {
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', block.text], {
        cwd: own,
        encoding: 'utf8',
      });
      expect({ stdout, stderr }).toEqual({ stdout: 'VERIFIED\n', stderr: '' });
      return;
    }
    // The node and the witness of this start, in place of those that an auditor pins.
    if (block.text.includes('policy.txt')) copyFileSync(join(own, '.data/log-policy.txt'), join(own, 'policy.txt'));
    succeeded(terminal.run(block.text));
    // This node takes API keys from the dashboard, not from its own table.
    if (block.text.includes('> key')) copyFileSync(join(own, '.data/api-key'), join(own, 'key'));
  });
});

describe('operating a node', () => {
  const own = join(folder, 'operations');
  const files = { '/var/lib/cer': 'var', '/etc/cer': 'etc', '/backup': 'backup' };
  let url: string;
  let terminal: Terminal;
  let apiKey: string;
  let fingerprint: string | undefined;
  let publicKey = '';

  beforeAll(async () => {
    const port = await freeBase();
    url = `http://127.0.0.1:${port}`;
    terminal = new Terminal(own, {
      env: { ...state, PORT: String(port), NODE_ID: 'node-1', KEY_SET_MAX_AGE_S: '1' },
      substitutions: [
        ['http://127.0.0.1:4100', url],
        ...Object.entries(files).map(([from, to]) => [from, join(own, to)] as const),
      ],
    });
    for (const name of Object.values(files)) mkdirSync(join(own, name));
  });
  afterAll(async () => {
    await terminal.stopServices();
    terminal.close();
  });

  it.each(OPERATIONS.flatMap((document) => rowsOf(document, 'sh')))(
    '$at runs',
    async ({ block }) => {
      const more: [string, string][] = [];
      if (block.text.includes('node-cli restore')) await terminal.stopServices();
      if (block.text.includes('cer admin audit verify')) {
        succeeded(terminal.run('node-cli'));
        await terminal.ready(url);
      }
      if (block.text.includes('PUBLIC_KEY')) more.push(['PUBLIC_KEY', publicKey]);
      if (block.text.includes('sha256:...')) {
        // The verifier is another computer than the root's, with its own memory.
        const memory = `export XDG_STATE_HOME="${join(folder, 'verifier')}"`;
        more.push(['sha256:...', fingerprint ?? 'no root'], ['cer keys history', `${memory}\ncer keys history`]);
      }
      if (block.text.includes('cer verify certificate.json')) await certify();
      if (block.text.includes('cer keys root sign')) await oneKeySigns();

      const ran = terminal.run(block.text, { substitutions: more });
      succeeded(ran);
      if (/^node-cli$/m.test(block.text)) await terminal.ready(url);
      apiKey = /^cer_\S+$/m.exec(ran.stdout)?.[0] ?? apiKey;
      // The first root is the one to pin.
      fingerprint ??= /Fingerprint +(sha256:\S+)/.exec(ran.stdout)?.[1];
      publicKey = /Public key +(\S+)/.exec(ran.stdout)?.[1] ?? publicKey;
    },
    PATIENCE_MS,
  );

  /** Waits for the end of the rotation of earlier blocks: a history that changes while it is signed is refused. */
  const oneKeySigns = async (): Promise<void> => {
    for (;;) {
      const { keys } = (await (await fetch(`${url}/.well-known/svc-node.json`)).json()) as {
        readonly keys: readonly { readonly status: string }[];
      };
      if (keys.filter(({ status }) => status === 'active').length === 1) return;
      await sleep(100);
    }
  };

  const certify = async (): Promise<void> => {
    const response = await fetch(`${url}/v1/cer/ai/certify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ executionId: 'docs-1', provider: 'example', model: 'example-1', input: 'a', output: 'b' }),
    });
    expect(response.status).toBe(200);
    writeFileSync(join(own, 'certificate.json'), await response.text());
  };

  it(
    'runs the SQL statements on PostgreSQL',
    () => {
      const statements = OPERATIONS.flatMap((document) => rowsOf(document, 'sql')).map(({ block }) => block.text);
      const helper = join(__dirname, 'documentation/run-sql.mjs');
      const rows = execFileSync(process.execPath, [helper, ...statements], { encoding: 'utf8' });
      expect(rows.trim().split('\n')).toHaveLength(statements.length);
      expect(statements.length).toBeGreaterThan(2);
    },
    PATIENCE_MS,
  );

  it.each(rowsOf('docs/operations.md', 'env'))('$at follows the schema of the node', ({ block }) => {
    const program = `
      import { VARIABLES } from './apps/node/dist/start/config-variables.js';
      const set = Object.fromEntries(process.argv[1].trim().split('\\n').map((line) => line.split('=')));
      console.log(VARIABLES.partial().strict().safeParse(set).error?.message ?? 'valid');`;
    const args = ['--input-type=module', '--eval', program, block.text];
    expect(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })).toBe('valid\n');
  });

  it('lists messages that the services send', () => {
    const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');
    const section = page.slice(page.indexOf('### Clients get 503'), page.indexOf('### The clock is wrong'));
    const messages = [...section.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, message = '']) => message);
    expect(messages.length).toBeGreaterThan(4);
    const found = messages.filter((message) => {
      const args = ['-rqF', '--include=*.ts', `'${message}`, 'apps/node/src', 'packages/http-service/src'];
      return spawnSync('grep', args, { cwd: root }).status === 0;
    });
    expect(found).toEqual(messages);
  });
});

describe('a hardware token', () => {
  const MODULE = ['/usr/lib/softhsm/libsofthsm2.so'].find((path) => existsSync(path));
  if (MODULE === undefined) {
    it('is not tried here: SoftHSM is not installed', () => {
      process.stderr.write(`${HARDWARE} not run: SoftHSM is not installed\n`);
      expect(MODULE).toBeUndefined();
    });
    return;
  }
  const own = join(folder, 'hardware');
  let terminal: Terminal;
  let url: string;

  beforeAll(async () => {
    const port = await freeBase();
    url = `http://127.0.0.1:${port}`;
    mkdirSync(own, { recursive: true });
    terminal = new Terminal(own, {
      env: { HOME: own },
      // The user types the PIN; softhsm2-util asks for it on the terminal, which a test has none of.
      input: '123456\n',
      substitutions: [
        ['4998', String(port)],
        ['--label certificates', '--label certificates --so-pin 12345678 --pin 123456'],
      ],
    });
  });
  afterAll(async () => {
    await terminal.stopServices();
    terminal.close();
  });

  it.each(rowsOf(HARDWARE, 'sh'))(
    '$at runs',
    async ({ block }) => {
      succeeded(terminal.run(block.text));
      if (/^node apps\/node\/dist\/main\.js$/m.test(block.text)) await terminal.ready(url);
    },
    PATIENCE_MS,
  );
});
