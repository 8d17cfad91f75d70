#!/usr/bin/env node
// Lists the packages that the services run on, with licences, and fails on a licence that the project does not accept.
//   node scripts/licences.mjs          checks, and that THIRD_PARTY_NOTICES.md is up to date
//   node scripts/licences.mjs --write  checks and writes THIRD_PARTY_NOTICES.md
// Reads package-lock.json and the packages in node_modules; no network, no dependencies.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from './setup/options.mjs';

const root = join(import.meta.dirname, '..');
const NOTICES = join(root, 'THIRD_PARTY_NOTICES.md');
const ALLOWED = [
  /^(?:MIT|Apache-2\.0|0BSD|ISC|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|Python-2\.0|MPL-2\.0|OFL-1\.1)$/,
  /^BSD-/,
  /^LGPL-/,
];

/** Is the SPDX expression accepted? `A OR B` needs one of them, `A AND B` both. */
function isAllowed(expression) {
  const text = expression.trim();
  const inner = withoutOuterParentheses(text);
  if (inner !== text) return isAllowed(inner);
  for (const [operator, rule] of [
    ['OR', 'some'],
    ['AND', 'every'],
  ]) {
    const parts = splitAtTopLevel(text, operator);
    if (parts.length > 1) return parts[rule](isAllowed);
  }
  return ALLOWED.some((pattern) => pattern.test(text));
}

function withoutOuterParentheses(text) {
  if (!text.startsWith('(')) return text;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return at === text.length - 1 ? text.slice(1, -1).trim() : text;
  }
  return text;
}

function splitAtTopLevel(text, operator) {
  const parts = [''];
  let depth = 0;
  for (const word of text.split(/(\s+|[()])/)) {
    if (word === '(') depth += 1;
    if (word === ')') depth -= 1;
    if (word === operator && depth === 0) parts.push('');
    else parts[parts.length - 1] += word;
  }
  return parts;
}

/** The runtime packages: everything in the lockfile except workspaces and development dependencies. */
function runtimePackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = new Map();
  for (const [path, entry] of Object.entries(packages)) {
    const at = path.lastIndexOf('node_modules/');
    if (at < 0 || entry.link === true || entry.dev === true || entry.devOptional === true) continue;
    const name = entry.name ?? path.slice(at + 'node_modules/'.length);
    found.set(`${name}@${entry.version}`, { name, version: entry.version, licence: licenceOf(path, entry) });
  }
  return [...found.values()].sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The licence in the lockfile, which comes from the registry; else the one in the installed package. */
function licenceOf(path, { license }) {
  if (typeof license === 'string') return license;
  const manifest = join(root, path, 'package.json');
  if (!existsSync(manifest)) return 'unknown';
  const stated = JSON.parse(readFileSync(manifest, 'utf8'));
  const first = stated.license ?? stated.licenses?.[0];
  return (typeof first === 'string' ? first : first?.type) ?? 'unknown';
}

function notices(packages) {
  const rows = packages.map(({ name, version, licence }) => `- ${name} ${version}: ${licence}`);
  return `# Third-party notices

This project is licensed under Apache-2.0 (see LICENSE). When it runs it uses the packages below, each under its own
licence; the full texts are in each package's folder under \`node_modules\`. Packages that only some platforms install
are listed too. Tools for development are not.

Written by \`node scripts/licences.mjs --write\` from \`package-lock.json\`.

${rows.join('\n')}
`;
}

function main() {
  const options = { write: { type: 'boolean', default: false } };
  const { values } = readOptions(import.meta.filename, { options });
  const packages = runtimePackages();
  const refused = packages.filter(({ licence }) => !isAllowed(licence));
  for (const { name, version, licence } of refused) {
    console.error(`licences: ${name} ${version} has ${licence}, which the project does not accept`);
  }
  const text = notices(packages);
  let isStale = false;
  if (values.write) writeFileSync(NOTICES, text);
  else isStale = !existsSync(NOTICES) || readFileSync(NOTICES, 'utf8') !== text;
  if (isStale) console.error('licences: THIRD_PARTY_NOTICES.md is out of date. Run: node scripts/licences.mjs --write');
  if (refused.length > 0 || isStale) process.exitCode = 1;
  else console.log(`licences: ${packages.length} runtime packages, all with an accepted licence`);
}

main();
