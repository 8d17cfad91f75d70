#!/usr/bin/env node
// Fails on a circle between the parts of one folder, at every level below each workspace's src: each file and each
// subfolder is a part, and a part that imports another one must not be imported by it in turn, directly or through
// others. Type imports count; tests do not. dependency-cruiser's folder scope does not see files beside folders.
//   node scripts/folder-circles.mjs [ROOT]
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';
import { readOptions } from './setup/options.mjs';
import { workspacesIn } from './workspaces.mjs';

const SOURCE = /\.tsx?$/;
const TEST = /\.test\.tsx?$/;

/**
 * The circles of one source folder.
 * @param {string} src absolute path
 * @returns {{folder: string, parts: string[], arrows: string[]}[]} the folder relative to `src`, its parts that import
 *   each other in a circle, and the imports between them as `from -> to`
 */
function folderCircles(src) {
  const levels = new Map();
  for (const { from, to } of importsWithin(src)) {
    const [a, b] = [from.split(sep), to.split(sep)];
    const depth = a.findIndex((name, at) => name !== b[at]);
    if (depth < 0) continue;
    const folder = a.slice(0, depth).join('/');
    if (!levels.has(folder)) levels.set(folder, []);
    levels.get(folder).push({ source: a[depth], target: b[depth], arrow: `${from} -> ${to}` });
  }
  return [...levels].flatMap(([folder, arrows]) =>
    circlesOf(arrows).map((parts) => ({
      folder,
      parts,
      arrows: arrows
        .filter(({ source, target }) => parts.includes(source) && parts.includes(target))
        .map((a) => a.arrow),
    })),
  );
}

/** Every import of a file under `src` by another one, as paths relative to `src`. */
function importsWithin(src) {
  const files = readdirSync(src, { recursive: true }).filter((path) => SOURCE.test(path) && !TEST.test(path));
  const known = new Set(files);
  return files.flatMap((from) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(src, from), 'utf8'));
    return importedFiles
      .filter(({ fileName }) => fileName.startsWith('.'))
      .map(({ fileName }) => join(dirname(from), fileName).replace(/\.js$/, ''))
      .flatMap((path) => [path, `${path}.ts`, `${path}.tsx`].filter((candidate) => known.has(candidate)))
      .map((to) => ({ from, to }));
  });
}

/** Groups of two or more parts that all reach each other. */
function circlesOf(arrows) {
  const targets = new Map();
  for (const { source, target } of arrows) {
    if (!targets.has(source)) targets.set(source, new Set());
    targets.get(source).add(target);
  }
  const reach = new Map([...targets.keys()].map((part) => [part, reachedFrom(part, targets)]));
  const grouped = new Set();
  const circles = [];
  for (const [part, reached] of reach) {
    if (grouped.has(part) || !reached.has(part)) continue;
    const circle = [...reached].filter((other) => reach.get(other)?.has(part)).sort();
    circle.forEach((member) => grouped.add(member));
    circles.push(circle);
  }
  return circles;
}

function reachedFrom(start, targets) {
  const reached = new Set();
  const open = [start];
  while (open.length > 0) {
    for (const target of targets.get(open.pop()) ?? []) {
      if (reached.has(target)) continue;
      reached.add(target);
      open.push(target);
    }
  }
  return reached;
}

function main(root) {
  const workspaces = workspacesIn(root)
    .filter(({ folder }) => existsSync(join(folder, 'src')))
    .map(({ folder }) => relative(root, folder));
  const faults = [];
  for (const name of workspaces) {
    for (const { folder, parts, arrows } of folderCircles(join(root, name, 'src'))) {
      faults.push(`${name}/src/${folder}: ${parts.join(', ')} import each other:\n  ${arrows.join('\n  ')}`);
    }
  }
  for (const fault of faults) console.error(`folders: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  else console.log(`folders: no circle between the folders of ${workspaces.length} workspaces`);
}

const { positionals } = readOptions(import.meta.filename, { allowPositionals: true });
main(positionals[0] ?? join(import.meta.dirname, '..'));
