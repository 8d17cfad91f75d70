// Checks packed packages as arethetypeswrong and publint do: `node check-tarballs.mjs TARBALL...` writes a JSON array with
// one report per tarball. One process: both tools take longer to start than to check a package.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { problemAffectsEntrypoint, problemAffectsResolutionKind } from '@arethetypeswrong/core/problems';
import { publint } from 'publint';

/** The ways in which programs of today resolve a package of ES modules. */
const RESOLUTIONS = ['node16-esm', 'bundler'];

/** The entries whose types resolve in every way, and what is wrong in any of these ways; null for a package without types. */
async function typesOf(data) {
  const analysis = await checkPackage(createPackageFromTarballData(data));
  if (analysis.types === false) return null;
  const problems = analysis.problems.filter((problem) =>
    RESOLUTIONS.some((kind) => problemAffectsResolutionKind(problem, kind, analysis)),
  );
  const entries = Object.entries(analysis.entrypoints)
    .filter(([entry, { resolutions }]) => {
      const isFound = RESOLUTIONS.every((kind) => resolutions[kind].resolution?.isTypeScript === true);
      return isFound && !problems.some((problem) => problemAffectsEntrypoint(problem, entry, analysis));
    })
    .map(([entry]) => entry);
  return { entries, problems: problems.map(({ kind }) => kind) };
}

async function lint(data) {
  const { messages } = await publint({ pack: { tarball: data.buffer }, level: 'suggestion', strict: true });
  return messages;
}

const reports = [];
for (const path of process.argv.slice(2)) {
  const data = new Uint8Array(readFileSync(path));
  reports.push({ types: await typesOf(data), messages: await lint(data) });
}
console.log(JSON.stringify(reports));
