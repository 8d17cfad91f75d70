import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { Consumer, manifestOf, PUBLISHED, ROOT, run } from './consumer.js';
import { answerAtEdge, EDGE_PROGRAM, hasWorkerd } from './edge.js';
import { LocalNode } from './local-node.js';
import { startModelServer, type ModelServer } from './model-server.js';
import { readmeExample } from './readme-example.js';

// The packages as others get them from a registry, installed into an empty folder.

const ALONE = ['@cer/canonical-json', '@cer/keys', '@cer/cer-core', '@cer/tlog', '@cer/timestamps'] as const;
/** With those whose example needs a service. */
const LIBRARIES = [...ALONE, '@cer/client'] as const;
const names = Object.keys(PUBLISHED) as (keyof typeof PUBLISHED)[];

/** The report of check-tarballs.mjs about one package. */
interface Report {
  readonly types: { readonly entries: readonly string[]; readonly problems: readonly string[] } | null;
  readonly messages: readonly unknown[];
}

let consumer: Consumer;
let reports: ReadonlyMap<string, Report>;
beforeAll(() => {
  consumer = new Consumer();
  const args = [join(__dirname, 'check-tarballs.mjs'), ...consumer.tarballs.values()];
  const found = JSON.parse(run(consumer.folder, process.execPath, args)) as readonly Report[];
  reports = new Map([...consumer.tarballs.keys()].flatMap((name, at) => (found[at] ? [[name, found[at]]] : [])));
});
afterAll(() => {
  consumer.remove();
});

const linesOf = (text: string): readonly string[] => text.trim().split('\n');

/** Imports for Node.js alone. */
const NODE_ONLY: readonly string[] = [
  './file-signer',
  './node-transport',
  './private-file',
  './register',
  './sealed-bytes',
  './spool-folder',
];

/** Every import of a package that is for production and for all platforms. */
function entriesOf(name: (typeof LIBRARIES)[number]): readonly string[] {
  return Object.keys(manifestOf(join(ROOT, PUBLISHED[name])).exports ?? {})
    .filter((path) => !path.startsWith('./testing') && !NODE_ONLY.includes(path))
    .map((path) => `${name}${path.slice(1)}`);
}

/** A program for browsers. Fails when it needs a builtin of Node. */
async function bundled(entry: string): Promise<string> {
  const outfile = join(consumer.folder, 'bundle.mjs');
  await build({
    ...{ entryPoints: [entry], bundle: true, platform: 'browser', format: 'esm', target: 'es2022', outfile },
    logLevel: 'silent',
  });
  return outfile;
}

describe.each(names)('the package %s', (name) => {
  const tarball = (): string => consumer.tarballs.get(name) ?? '';

  it('carries licence and README, and no tests', () => {
    const files = run(consumer.folder, 'tar', ['-tzf', tarball()]);
    expect(linesOf(files)).toEqual(expect.arrayContaining(['package/LICENSE', 'package/README.md']));
    expect(files).not.toMatch(/\.test\.|tsbuildinfo|\.map$|\/src\//m);
    expect(manifestOf(join(consumer.folder, 'node_modules', name)).private).toBeUndefined();
  });

  it('passes publint', () => {
    expect(reports.get(name)?.messages).toEqual([]);
  });
});

describe.each(LIBRARIES)('the library %s', (name) => {
  it('resolves with its types, says arethetypeswrong', () => {
    const entries = Object.keys(manifestOf(join(ROOT, PUBLISHED[name])).exports ?? {});
    expect(reports.get(name)?.types).toEqual({ entries, problems: [] });
  });

  it('bundles for browsers without a builtin of Node', async () => {
    const lines = entriesOf(name).map((entry, at) => `import * as m${at} from '${entry}';\nconsole.log(m${at});\n`);
    const bundle = readFileSync(await bundled(consumer.write('all.mjs', lines.join(''))), 'utf8');
    expect(bundle.length).toBeGreaterThan(1000);
    expect(bundle).not.toMatch(/from "node:|require\("/);
  });
});

describe.each(ALONE)('%s by itself', (name) => {
  it('runs the example of its README in Node', () => {
    const { code, prints } = readmeExample(name);
    expect(prints).not.toEqual([]);
    const file = consumer.write('example.mjs', code);
    expect(linesOf(run(consumer.folder, process.execPath, [file]))).toEqual(prints);
  });
});

describe('a new user of @cer/client', () => {
  let model: ModelServer;
  let node: LocalNode;
  beforeAll(async () => {
    model = await startModelServer();
    node = await LocalNode.create(join(consumer.folder, 'node'));
  });
  afterAll(async () => {
    await node.stop();
    await model.close();
  });

  it('has calls certified that were made while the node was away', async () => {
    const file = consumer.write(
      'new-user.mjs',
      `import OpenAI from 'openai';
      import { certificates } from '@cer/client';
      const cer = certificates({ appId: 'new', onCertified: ({ answer }) => console.log(JSON.stringify(answer)) });
      const openai = cer.openai(new OpenAI());
      const messages = [{ role: 'user', content: 'Where to in May?' }];
      console.log((await openai.chat.completions.create({ model: 'gpt-4.1', messages })).choices[0].message.content);
      await cer.close({ timeoutMs: Number(process.env.WAIT_MS) });`,
    );
    const call = async (waitMs: number): Promise<readonly string[]> => {
      const env = {
        ...{ PATH: process.env['PATH'], OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'none' },
        ...{ CER_NODE_URL: node.url, CER_API_KEY: node.apiKey, WAIT_MS: String(waitMs) },
      };
      return linesOf((await promisify(execFile)(process.execPath, [file], { cwd: consumer.folder, env })).stdout);
    };
    expect(await call(100)).toEqual(['Lisbon']);
    await node.start();
    // Bundles of the earlier process may be certified before the model answers.
    const lines = await call(60_000);
    const certified = lines.filter((line) => line !== 'Lisbon');
    expect([lines.length, certified.length]).toEqual([3, 2]);
    for (const text of certified) {
      const certificate = consumer.write('certificate.json', text);
      const args = ['--offline', '@cer/cli', 'verify', certificate, '--keys', node.url, '--require-attestation'];
      expect(linesOf(run(consumer.folder, 'npx', args))[0]).toBe('VERIFIED');
    }
  });

  it('may import the registration in a program that is bundled', async () => {
    const entry = consumer.write('registered.mjs', "import '@cer/client/register';\n");
    const outfile = join(consumer.folder, 'registered-bundle.mjs');
    const { warnings } = await build({
      ...{ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'silent' },
    });
    const { stderr } = await promisify(execFile)(process.execPath, [outfile], { env: { PATH: process.env['PATH'] } });
    expect(warnings).toEqual([]);
    expect(stderr).toContain('CER_NODE_URL');
  });

  it('runs the example of the README', async () => {
    const { code, prints } = readmeExample('@cer/client');
    expect(prints).not.toEqual([]);
    const env = {
      ...{ PATH: process.env['PATH'], OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'none' },
      ...{ CER_NODE_URL: node.url, CER_API_KEY: node.apiKey, CER_SPOOL_DIR: join(consumer.folder, 'spool') },
    };
    const file = consumer.write('example.mjs', code);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { cwd: consumer.folder, env });
    expect([linesOf(stdout), stderr]).toEqual([prints, '']);
  });

  it('certifies a call at the edge, in workerd', async () => {
    if (!hasWorkerd) {
      process.stderr.write('no workerd for this platform: the call at the edge is left out\n');
      return;
    }
    await bundled(consumer.write('edge.mjs', EDGE_PROGRAM));
    const answer = await answerAtEdge(consumer, 'bundle.mjs', {
      ...{ NODE_URL: node.url, API_KEY: node.apiKey, MODEL_URL: `${model.url}/v1/chat/completions` },
    });
    const certificateHash = expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as unknown;
    const stats = expect.objectContaining({ seen: 1, sealed: 1, attested: 1, errors: 0 }) as unknown;
    expect(answer).toEqual({ certificateHash, waiting: 0, stats, text: 'Lisbon' });
  });

  it('answers at the edge while the platform waits for the certificate', async () => {
    if (!hasWorkerd) {
      process.stderr.write('no workerd for this platform: the call at the edge is left out\n');
      return;
    }
    const program = readFileSync(join(ROOT, 'examples/clients/worker.mjs'), 'utf8');
    await bundled(consumer.write('worker.mjs', program));
    const bindings = { CER_NODE_URL: node.url, CER_API_KEY: node.apiKey, OPENAI_BASE_URL: `${model.url}/v1` };
    const answer = await answerAtEdge(consumer, 'bundle.mjs', bindings, async () => {
      while ((await node.recordsOf('travel-desk-edge')).length === 0) await sleep(50);
    });
    expect(answer).toMatchObject({ choices: [{ message: { content: 'Lisbon' } }] });
    expect(await node.recordsOf('travel-desk-edge')).toHaveLength(1);
  });
});

describe('the libraries', () => {
  // One program for all of them: the compiler reads the types of Node once.
  it.each(['nodenext', 'bundler'])('compile under strict TypeScript, resolution %s', (moduleResolution) => {
    const files = LIBRARIES.flatMap((name, at) => {
      const entries = entriesOf(name).map((entry) => `export type * from '${entry}';\n`);
      consumer.write(`example-${at}.mjs`, readmeExample(name).code);
      consumer.write(`entries-${at}.mts`, entries.join(''));
      return [`example-${at}.mjs`, `entries-${at}.mts`];
    });
    const compilerOptions = {
      strict: true,
      ...{ allowJs: true, checkJs: true, noEmit: true, target: 'es2022', lib: ['es2023'], moduleResolution },
      module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
      typeRoots: [join(ROOT, 'node_modules/@types')],
      types: ['node'],
    };
    consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
    expect(run(consumer.folder, process.execPath, [join(ROOT, 'node_modules/typescript-7/bin/tsc'), '-p', '.'])).toBe(
      '',
    );
  });
});

describe.each(['@cer/canonical-json', '@cer/cer-core'] as const)('the example of %s', (name) => {
  it('runs from a bundle for browsers', async () => {
    const { code, prints } = readmeExample(name);
    const bundle = await bundled(consumer.write('example.mjs', code));
    expect(linesOf(run(consumer.folder, process.execPath, [bundle]))).toEqual(prints);
  });
});

describe('@cer/cli', () => {
  it('verifies by npx', () => {
    const [certificate, keys] = ['certified.json', 'keys.json'].map((name) =>
      join(ROOT, 'examples/certificates', name),
    );
    const args = ['--offline', '@cer/cli', 'verify', certificate ?? '', '--keys', keys ?? ''];
    expect(linesOf(run(consumer.folder, 'npx', args))[0]).toBe('VERIFIED');
  });
});
