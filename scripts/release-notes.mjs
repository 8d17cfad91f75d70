// `npm run release-notes`: closes "Unreleased" in CHANGELOG.md under the version of package.json, with the SHA-256 of the
// offline verifier as it was just built. `-- --check` compares a build with what the notes of its version say.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    root: { type: 'string', default: join(import.meta.dirname, '..') },
  },
});
const file = (...path) => join(values.root, ...path);
const OPEN = '## [Unreleased]';
const RECORDED = /^Offline verifier \(`offline\.html`\): SHA-256 `([0-9a-f]{64})`\.$/m;

const { version } = JSON.parse(readFileSync(file('package.json'), 'utf8'));
const changelog = readFileSync(file('CHANGELOG.md'), 'utf8');
const built = createHash('sha256').update(readFileSync(file('apps', 'verifier', 'dist', 'web', 'offline.html')));
const digest = built.digest('hex');
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
  const recorded = RECORDED.exec(notes)?.[1];
  if (recorded === undefined) fail(`CHANGELOG.md: the notes of version ${version} name no SHA-256 of offline.html`);
  if (recorded !== digest) fail(`offline.html: this build has SHA-256 ${digest}, the notes say ${recorded}`);
  console.log(`offline.html of ${version}: SHA-256 ${digest}, as the notes say`);
} else {
  if (notes !== null) fail(`CHANGELOG.md: version ${version} is released; raise "version" in package.json first`);
  if (!changelog.includes(`${OPEN}\n`)) fail(`CHANGELOG.md: has no "${OPEN}"`);
  const line = `Offline verifier (\`offline.html\`): SHA-256 \`${digest}\`.`;
  writeFileSync(file('CHANGELOG.md'), changelog.replace(OPEN, `${OPEN}\n\n${heading}${values.date}\n\n${line}`));
  console.log(`CHANGELOG.md: ${version}, ${values.date}, offline.html SHA-256 ${digest}`);
}
