import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { withLock } from './lock.mjs';
import { objectWrapFlags } from './object-wrap.mjs';
import { withProgress } from './progress.mjs';
import { lastLines, runNode } from './run-program.mjs';
import { SetupError } from './setup-error.mjs';

/**
 * Installs the packages of package-lock.json when node_modules lacks any of them, holds another version, or was made for
 * another Node, and leaves what of them must be compiled to `ensureCompiled`. Of several concurrent calls only one
 * installs, the others wait.
 * @param {{root: string, log?: (line: string) => void}} options
 * @throws {SetupError} saying what is wrong: offline, disk full, no permission
 */
export async function ensurePackages({ root, log = console.log }) {
  if (isStale(root)) await alone(root, log, async () => isStale(root) && install(root, log));
}

/**
 * Runs the install scripts of the packages, most of which compile what has no ready-made binary for this machine.
 * @param {{root: string, log?: (line: string) => void}} options
 * @throws {SetupError} saying what is wrong: no compiler, offline, disk full
 */
export async function ensureCompiled({ root, log = console.log }) {
  if (isUncompiled(root)) await alone(root, log, async () => isUncompiled(root) && compile(root, log));
}

function alone(root, log, work) {
  const onWait = (owner) => log(`Waiting for another set-up of this folder (process ${owner}) ...`);
  return withLock(join(root, '.data', 'setup.lock'), onWait, work);
}

/** Is anything missing from node_modules? */
export function isStale(root) {
  const wanted = readJson(join(root, 'package-lock.json'));
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'));
  if (installed === null) return true;
  const stamp = readJson(stampPath(root));
  if (stamp !== null && stamp.abi !== process.versions.modules) return true;
  // Packages for other platforms are in the lock file and never on this disk; workspaces are links without a version.
  return Object.entries(wanted.packages).some(([path, { version, optional, link }]) => {
    if (!path.includes('node_modules/') || optional === true) return false;
    const present = installed.packages[path];
    return present === undefined || (link !== true && present.version !== version);
  });
}

/** Have packages been installed whose scripts have not run to their end? */
export function isUncompiled(root) {
  return existsSync(uncompiledPath(root));
}

const stampPath = (root) => join(root, 'node_modules', '.setup.json');

// Outside node_modules, which npm ci replaces.
const uncompiledPath = (root) => join(root, '.data', 'setup.uncompiled');

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

async function install(root, log) {
  writeFileSync(uncompiledPath(root), '');
  await runNpm(root, log, 'Installing packages (npm ci)', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
  writeFileSync(stampPath(root), `${JSON.stringify({ abi: process.versions.modules })}\n`);
}

async function compile(root, log) {
  await runNpm(root, log, 'Preparing packages (npm rebuild)', 'rebuild', '--no-bin-links');
  await tryCompiled(root);
  rmSync(uncompiledPath(root));
}

/** What was compiled for another Node is loaded by none of the services: said here, and not by each of them. */
async function tryCompiled(root) {
  const { code, output } = await runNode(['-e', `new (require('better-sqlite3'))(':memory:')`], { cwd: root });
  if (code === 0) return;
  throw new SetupError(
    'better-sqlite3 was compiled, and this Node cannot load it.',
    `Where "npm config get nodedir" names headers of another Node, remove that setting (npm config delete nodedir), and run the command again. What Node said:\n\n${lastLines(output)}`,
  );
}

async function runNpm(root, log, what, ...args) {
  const npm = [npmScript(), ...args, '--no-progress'];
  const { code, output } = await withProgress(what, log, () => runNode(npm, { cwd: root, env: npmEnvironment(root) }));
  if (code !== 0) throw explain(output);
}

/** The npm script: the one that runs this, else the one installed with the running Node. */
function npmScript() {
  const beside = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const onWindows = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const found = [process.env.npm_execpath, beside, onWindows].find(
    (path) => path !== undefined && path.endsWith('.js') && existsSync(path),
  );
  if (found !== undefined) return found;
  throw new SetupError('npm was not found.', 'Run the command through npm: npm start, or npm test.');
}

/**
 * npm's environment. With a read-only home folder its cache is in the checkout; where this Node's
 * headers are installed with it, a package that must be compiled uses them and downloads none.
 */
function npmEnvironment(root) {
  const env = { ...process.env, npm_config_update_notifier: 'false' };
  const cache = process.env.npm_config_cache ?? join(homedir(), '.npm');
  if (!isWritable(cache)) env.npm_config_cache = join(root, '.data', 'npm-cache');
  const headers = headersOfThisNode([env.npm_config_nodedir, join(dirname(process.execPath), '..')]);
  if (headers === undefined) return env;
  env.npm_config_nodedir = headers;
  const flags = objectWrapFlags(headers, join(root, '.data', 'headers'));
  if (flags !== undefined) env.CXXFLAGS = [env.CXXFLAGS, flags].filter(Boolean).join(' ');
  return env;
}

/**
 * The first folder with headers of the running Node. Those of another, such as a distribution's or of a Node that npm was
 * configured for earlier, would build a binary that cannot be loaded.
 * @param {readonly (string | undefined)[]} folders
 */
export function headersOfThisNode(folders) {
  return folders.find((folder) => folder !== undefined && hasOwnHeaders(folder));
}

function hasOwnHeaders(prefix) {
  try {
    const header = readFileSync(join(prefix, 'include', 'node', 'node_version.h'), 'utf8');
    const part = (name) => new RegExp(`#define NODE_${name}_VERSION (\\d+)`).exec(header)?.[1];
    return `${part('MAJOR')}.${part('MINOR')}.${part('PATCH')}` === process.versions.node;
  } catch {
    return false;
  }
}

function isWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const EXPLANATIONS = [
  [/ENOSPC/, 'The disk is full.', 'Free about 1 GB and run the command again.'],
  [
    /not found: (make|g\+\+|cc|c\+\+)|(make|g\+\+|c\+\+|cc): (command )?not found|Could not find any Python/i,
    'better-sqlite3 had no ready-made binary for this machine, and there is no compiler to build one.',
    'Install python3, make and a C++ compiler (Debian, Ubuntu: apt-get install python3 make g++; macOS: xcode-select --install).',
  ],
  [
    /gyp ERR!.*network/i,
    'A package must be compiled, and the headers of Node that this takes cannot be fetched.',
    'Check the connection, or a proxy (npm config get proxy), and run the command again.',
  ],
  // A ready-made binary was looked for before, so that the output may name an address that cannot be reached too.
  [
    /`make` (failed|got signal)/,
    'better-sqlite3 could not be compiled.',
    'Its compiler failed or was ended, as where less than 1 GB of memory is free. What npm said:',
  ],
  [
    /`gyp` failed/,
    'The compilation of better-sqlite3 could not be prepared.',
    'Headers of Node may be missing: where npm config get nodedir names a folder, npm config delete nodedir may help.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT/,
    'The package registry cannot be reached.',
    'The first run needs the network. Check the connection, or a proxy (npm config get proxy), and run the command again.',
  ],
  [
    /EACCES|EPERM|EROFS/,
    'This user may not write to this folder.',
    'Use a folder of your own, or give it to this user, and run the command again.',
  ],
  [
    /lock file.*not in sync|can only install packages when/i,
    'package.json and package-lock.json do not fit.',
    'Run npm install once.',
  ],
];

/** Turns npm's error output into a sentence, followed by the output itself. */
export function explain(output) {
  const [, problem, remedy] = EXPLANATIONS.find(([pattern]) => pattern.test(output)) ?? [
    null,
    'Installing the packages failed.',
    'What npm said:',
  ];
  return new SetupError(problem, `${remedy}\n\n${errorLines(output)}`);
}

/** The first errors: npm ends with pages of usage. */
function errorLines(output) {
  const errors = output.split('\n').filter((line) => /npm (error|ERR!)\s+\S/.test(line));
  return errors.length === 0 ? lastLines(output) : errors.slice(0, 15).join('\n');
}
