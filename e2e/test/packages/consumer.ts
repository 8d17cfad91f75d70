import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export const ROOT = join(__dirname, '..', '..', '..');

/** The workspaces that others install, by package name. */
export const PUBLISHED = {
  '@cer/canonical-json': 'packages/canonical-json',
  '@cer/keys': 'packages/keys',
  '@cer/cer-core': 'packages/cer-core',
  '@cer/ndjson': 'packages/ndjson',
  '@cer/tlog': 'packages/tlog',
  '@cer/timestamps': 'packages/timestamps',
  '@cer/client': 'packages/client',
  '@cer/sketch-engine': 'packages/sketch-engine',
  '@cer/cli': 'apps/cli',
} as const;

/** Packages that the example of a README imports and its package does not depend on. */
const IN_EXAMPLES = { openai: 'packages/client' };

export interface Manifest {
  readonly name: string;
  readonly version: string;
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

  /** Needs a build. Registry packages are there before, so that no registry is asked. */
  constructor() {
    const tarballs = join(this.folder, 'tarballs');
    mkdirSync(tarballs);
    this.tarballs = packPublished(tarballs);
    const folders = Object.values(PUBLISHED).map((path) => join(ROOT, path));
    const examples = Object.entries(IN_EXAMPLES).map(([name, path]) => resolved(name, join(ROOT, path)));
    const dependencies = this.#copy([...registryFolders(folders), ...examples]);
    this.write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module', dependencies }));
    const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    run(this.folder, 'npm', ['install', ...options, ...this.tarballs.values()]);
  }

  /** Copies installed registry packages, as npm would install them from their tarballs. @returns their versions by name */
  #copy(folders: readonly string[]): Readonly<Record<string, string>> {
    const versions: Record<string, string> = {};
    for (const folder of folders) {
      const { name, version } = manifestOf(folder);
      if (versions[name] !== undefined) throw new Error(`${name} is installed in two versions`);
      versions[name] = version;
      const filter = (path: string): boolean => path === folder || basename(path) !== 'node_modules';
      cpSync(folder, join(this.folder, 'node_modules', name), { recursive: true, filter });
    }
    return versions;
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

/** Packs all published packages in one run of npm. @returns the path of each tarball by package name */
function packPublished(destination: string): ReadonlyMap<string, string> {
  const workspaces = Object.keys(PUBLISHED).flatMap((name) => ['--workspace', name]);
  const output = run(ROOT, 'npm', [
    ...['pack', '--json', '--ignore-scripts', '--pack-destination', destination],
    ...workspaces,
  ]);
  // A list, and from npm 12 an object by names.
  const packed = JSON.parse(output) as Readonly<Record<string, { readonly name: string; readonly filename: string }>>;
  return new Map(Object.values(packed).map(({ name, filename }) => [name, join(destination, filename)]));
}

/** The folders of the direct and indirect dependencies of these packages, without the published ones. */
function registryFolders(from: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const open = [...from];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
      if (name in PUBLISHED) continue;
      if (name.startsWith('@cer/')) throw new Error(`${name} is not published, but ${folder} depends on it`);
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
