import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const ROOT = join(__dirname, '..', '..', '..');

/** The workspaces that others install, by package name. */
export const PUBLISHED = {
  '@cer/canonical-json': 'packages/canonical-json',
  '@cer/keys': 'packages/keys',
  '@cer/cer-core': 'packages/cer-core',
  '@cer/tlog': 'packages/tlog',
  '@cer/timestamps': 'packages/timestamps',
  '@cer/cli': 'apps/cli',
} as const;

export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** @throws Error with what the program wrote, when it does not end with 0 */
export function run(cwd: string, program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** A folder outside the repository with the published packages installed from their tarballs. */
export class Consumer {
  readonly folder = mkdtempSync(join(tmpdir(), 'cer-consumer-'));
  /** Path of each tarball by package name. */
  readonly tarballs: ReadonlyMap<string, string>;

  /** Needs a build. Registry packages are packed from node_modules, so that no registry is asked. */
  constructor() {
    const tarballs = join(this.folder, 'tarballs');
    mkdirSync(tarballs);
    const published = Object.entries(PUBLISHED).map(([name, path]) => [name, join(ROOT, path)] as const);
    this.tarballs = new Map(published.map(([name, folder]) => [name, pack(folder, tarballs)]));
    const registry = registryFolders(published.map(([, folder]) => folder)).map((folder) => pack(folder, tarballs));
    this.write('package.json', '{ "name": "consumer", "private": true, "type": "module" }');
    const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    run(this.folder, 'npm', ['install', ...options, ...this.tarballs.values(), ...registry]);
  }

  write(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function pack(folder: string, destination: string): string {
  const output = run(folder, 'npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', destination]);
  const [packed] = JSON.parse(output) as readonly { readonly filename: string }[];
  if (packed === undefined) throw new Error(`npm pack packed nothing of ${folder}`);
  return join(destination, packed.filename);
}

/** The folders of what these packages declare as dependencies, directly or through others, but for the published ones. */
function registryFolders(from: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const open = [...from];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
      if (name in PUBLISHED) continue;
      const dependency = resolved(name, folder);
      if (!found.has(dependency)) open.push(dependency);
      found.add(dependency);
    }
  }
  return [...found];
}

function resolved(name: string, from: string): string {
  const candidate = join(from, 'node_modules', name);
  if (existsSync(candidate)) return candidate;
  if (from === dirname(from)) throw new Error(`${name} is not installed`);
  return resolved(name, dirname(from));
}
