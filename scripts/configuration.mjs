// npm run configuration -- [--check]
// Makes docs/configuration.md from the schemas of all services; --check fails when the document is stale. Needs a build.
//   npm run configuration -- --check
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { zodFaults } from '@cer/http-service';
import { describeVariables } from '@cer/http-service/config';
import { formatted } from './formatted.mjs';
import { readOptions } from './setup/options.mjs';

const root = join(import.meta.dirname, '..');
const DOCUMENT = join(root, 'docs', 'configuration.md');

/** The services, and the built module that exports `VARIABLES`. */
const SERVICES = [
  ['Attestation node', 'node', 'start/config-variables.js'],
  ['Renderer', 'renderer', 'config.js'],
  ['Public verifier', 'verifier', 'config.js'],
  ['Evidence bridge', 'bridge', 'config.js'],
  ['Dashboard', 'dashboard', 'config.js'],
  ['Witness', 'witness', 'config.js'],
];

/** Values that only variables of free text accept; the messages for all others are their rules. */
const BAD_VALUES = ['\0', '\0'.repeat(100_000)];

const INTRODUCTION = `# Configuration

<!-- Made by \`npm run configuration\` from the schemas of the services: edit the descriptions there. -->

Services are configured by environment variables. An empty variable counts as unset. A service does not start with an
invalid configuration: it reports every faulty variable at once, by its name and rule, never its value. Relative paths
are relative to the working directory. Any variable \`X\` may be given as \`X_FILE\`, the path of a file with its value
that only the service's user, or its group, may read: so secrets are mounted. Renderer, verifier and bridge print their
variables with \`--help\`, node, dashboard and witness their commands. Sizes are in bytes and times in milliseconds unless the name says otherwise.

\`npm start\` sets these variables itself; [operations](operations.md#npm-start) lists the few that it reads,
and describes the settings of a node in production.
`;

const { values } = readOptions(import.meta.filename, { options: { check: { type: 'boolean', default: false } } });
const sections = await Promise.all(SERVICES.map(([title, name, module]) => section(title, name, module)));
const document = await formatted(DOCUMENT, [INTRODUCTION, ...sections].join('\n'));
const shown = relative(process.cwd(), DOCUMENT);

if (!values.check) {
  writeFileSync(DOCUMENT, document);
  console.log(`${shown}: written`);
} else if (readFileSync(DOCUMENT, 'utf8') === document) {
  console.log(`${shown}: as the schemas say`);
} else {
  console.error(`${shown}: is stale. Run: npm run build && npm run configuration`);
  process.exitCode = 1;
}

/** A heading and the table of one service. */
async function section(title, name, module) {
  const { VARIABLES } = await import(pathToFileURL(join(root, 'apps', name, 'dist', module)).href);
  const rows = describeVariables(VARIABLES).map(
    (variable) =>
      `| \`${variable.name}\` | ${defaultOf(variable)} | ${cell(variable.meaning)} | ${ruleOf(VARIABLES.shape[variable.name])} |`,
  );
  return [`## ${title}`, '', '| Variable | Default | Meaning | Constraint |', '| - | - | - | - |', ...rows, ''].join(
    '\n',
  );
}

function defaultOf({ required, byDefault }) {
  if (required) return 'required';
  return byDefault === undefined || byDefault === '' ? 'unset' : `\`${byDefault}\`${mebibytes(byDefault)}`;
}

function mebibytes(value) {
  const amount = Number(value) / 2 ** 20;
  return Number.isInteger(amount) && amount > 0 ? ` (${amount} MiB)` : '';
}

/** The messages with which the schema refuses bad values, without the words that all of them share. */
function ruleOf(schema) {
  const results = BAD_VALUES.map((value) => [value, schema.safeParse(value)]);
  const faults = results.flatMap(([value, { error }]) => (error === undefined ? [] : zodFaults(error, value, '')));
  const rules = new Set(faults.map((fault) => fault.replace(/^[^:]*: must (be|have) (an? )?/, '')));
  return cell([...rules].join('; ')).replaceAll(/"(\w+)"/g, '`$1`');
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}
