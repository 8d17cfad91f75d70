import { execFileSync, spawnSync } from 'node:child_process';

/** A program that others wrote, or the reason why it is not available here. */
export type Had<T> = { readonly had: T } | { readonly missing: string };

/** Of a new machine, in ms: Go downloads modules and compiles SQLite, while other tests run. */
export const BUILT_WITHIN_MS = 15 * 60_000;

/**
 * Builds packages of a Go module.
 * @param options `since`: the version of Go that the module asks for
 * @returns `into`, the folder with the programs
 */
export function goPrograms(options: {
  readonly module: string;
  readonly packages: readonly string[];
  readonly since: string;
  readonly into: string;
}): Had<string> {
  const { module, packages, since, into } = options;
  const run = { cwd: module, env: { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' } };
  if (spawnSync('go', ['version'], run).error !== undefined) {
    return { missing: `there is no Go on this machine (go.dev, ${since} or later)` };
  }
  if (spawnSync('go', ['mod', 'download'], run).status !== 0) {
    return { missing: 'its Go modules cannot be downloaded, or ask for a later Go' };
  }
  execFileSync('go', ['build', '-o', `${into}/`, ...packages], run);
  return { had: into };
}
