// npm run release-notes -- [--check] [--date YYYY-MM-DD] [--root FOLDER]
// Closes "Unreleased" in CHANGELOG.md under the version of package.json, with the SHA-256 of the offline verifier and of
// the page that draws again, as they were just built; --check compares a build with what the notes of its version say.
//   npm run release-notes -- --check
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from './setup/options.mjs';

const { values } = readOptions(import.meta.filename, {
  options: {
    check: { type: 'boolean', default: false },
    date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    root: { type: 'string', default: join(import.meta.dirname, '..') },
  },
});
const file = (...path) => join(values.root, ...path);
const OPEN = '## [Unreleased]';
/** Files that a release names by digest: those of the verifier that work from a disk. */
const FILES = [
  ['offline.html', 'Offline verifier'],
  ['redraw.html', 'Page that draws again'],
].map(([name, title]) => {
  const start = `${title} (\`${name}\`): SHA-256 \``;
  const bytes = readFileSync(file('apps', 'verifier', 'dist', 'web', name));
  const digest = createHash('sha256').update(bytes).digest('hex');
  /** The digest that notes record; undefined where they record none. */
  const recordedIn = (notes) => {
    const from = notes.indexOf(`\n${start}`);
    return from < 0 ? undefined : notes.slice(from + 1 + start.length).match(/^[0-9a-f]{64}(?=`\.$)/m)?.[0];
  };
  return { name, digest, line: `${start}${digest}\`.`, recordedIn };
});

const { version } = JSON.parse(readFileSync(file('package.json'), 'utf8'));
const changelog = readFileSync(file('CHANGELOG.md'), 'utf8');
const heading = `## [${version}] - `;

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** The text between the heading of this version and the next one; null before its release. */
function notesOfVersion() {
  const start = changelog.indexOf(`\n${heading}`);
  if (start < 0) return null;
  const end = changelog.indexOf('\n## [', start + 1);
  return changelog.slice(start, end < 0 ? undefined : end);
}

const notes = notesOfVersion();
if (values.check) {
  if (notes === null) fail(`CHANGELOG.md: has no notes of version ${version}`);
  for (const { name, digest, recordedIn } of FILES) {
    const recorded = recordedIn(notes);
    if (recorded === undefined) fail(`CHANGELOG.md: the notes of version ${version} name no SHA-256 of ${name}`);
    if (recorded !== digest) fail(`${name}: this build has SHA-256 ${digest}, the notes say ${recorded}`);
    console.log(`${name} of ${version}: SHA-256 ${digest}, as the notes say`);
  }
} else {
  if (notes !== null) fail(`CHANGELOG.md: version ${version} is released; raise "version" in package.json first`);
  if (!changelog.includes(`${OPEN}\n`)) fail(`CHANGELOG.md: has no "${OPEN}"`);
  const lines = FILES.map(({ line }) => line).join('\n\n');
  writeFileSync(file('CHANGELOG.md'), changelog.replace(OPEN, `${OPEN}\n\n${heading}${values.date}\n\n${lines}`));
  for (const { name, digest } of FILES)
    console.log(`CHANGELOG.md: ${version}, ${values.date}, ${name} SHA-256 ${digest}`);
}
