import {
  elementsOf,
  isJsonArray,
  isJsonObject,
  jcsV1,
  member,
  type JsonObject,
  type JsonValue,
} from '@cer/canonical-json';
import { encodeBase64Url, keyFingerprint } from '@cer/keys';
import { openRootFile } from '@cer/keys/file-signer';
import { readArguments, required } from '../arguments.js';
import type { Command } from '../command.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { writeNewFile } from '../files/new-file.js';
import { nameOf, readBytes } from '../files/read-bytes.js';
import { readOwnJson } from '../files/read-json.js';
import type { Io } from '../io.js';
import { printable } from '../printable.js';
import { fail } from '../report/failure.js';
import { rows, widthOf } from '../report/lay-out.js';
import { UsageError } from '../usage-error.js';
import { agrees } from './agrees.js';
import { asUsage } from './keys-root-init.js';

const MAX_STATEMENT_BYTES = 1024 * 1024;
const STATEMENT_TYPE = 'svc.log-statement.v1';

/** Has a root promise what the logs of a node are. @see docs/spec.md, "Log statement" */
export const keysRootSignLogCommand: Command = {
  name: 'keys root sign-log',
  summary: 'show the promise of a node about its transparency logs, and sign it with a root key',
  usage: ['keys root sign-log --root FILE --statement FILE --out FILE [--yes]'],
  options: [
    ['--root FILE', 'the root key, as keys root init made it'],
    ['--statement FILE', 'the saved answer of the node at /.well-known/svc-log.json'],
    [
      '--out FILE',
      'where to write the signed statement, for the command log statement of the node; it is never overwritten',
    ],
    ['--yes', 'do not ask for confirmation; without a terminal, nothing is asked'],
  ],
  examples: [
    [
      'cer keys root sign-log --root root.json --statement svc-log.json --out signed.json',
      'shows the logs, asks, and signs; no connection is opened',
    ],
  ],
  run,
};

async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  const text = { type: 'string' } as const;
  const { flags, operands } = readArguments(args, { root: text, statement: text, out: text, yes: { type: 'boolean' } });
  if (operands.length > 0) throw new UsageError('keys root sign-log takes flags only');
  const rootFile = required(flags.root, '--root');
  const source = required(flags.statement, '--statement');
  const out = required(flags.out, '--out');
  const mustAsk = io.stdout.isTerminal && flags.yes !== true;
  if (mustAsk && source === '-') throw new UsageError('--statement - leaves no input for the confirmation: add --yes');
  const root = asUsage(() => openRootFile(rootFile));
  const statement = statementIn(readOwnJson(await readBytes(source, io.stdin, MAX_STATEMENT_BYTES), source));
  const facts: [string, string][] = [['Root', keyFingerprint(root.publicKey)], ...factsOf(statement)];
  io.stdout.write(rows(facts, widthOf(io.stdout)));
  if (mustAsk && !(await agrees(io))) return fail({ reason: 'NOT_CONFIRMED', detail: 'nothing was signed' }, io);
  const bytes = new TextEncoder().encode(jcsV1.canonicalize(statement));
  const signatures = [{ kid: root.kid, signature: encodeBase64Url(await root.sign(bytes)) }];
  await writeNewFile(out, `${JSON.stringify({ statement, signatures }, null, 2)}\n`, { option: '--out' }, io);
  io.stdout.write(`\nSigned: ${nameOf(out)}\n`);
  return EXIT.verified;
}

/** The root key signs key set statements and log statements, and nothing else. */
function statementIn(value: JsonValue): JsonObject {
  const statement = isJsonObject(value) ? (member(value, 'statement') ?? value) : value;
  if (!isJsonObject(statement) || member(statement, 'type') !== STATEMENT_TYPE) {
    throw new UsageError(`--statement: type must be ${STATEMENT_TYPE}`);
  }
  const { nodeId, version, logs } = statement;
  if (typeof nodeId !== 'string' || !Number.isSafeInteger(version) || !isJsonArray(logs) || logs.length === 0) {
    throw new UsageError('--statement: must have nodeId, version and logs');
  }
  return statement;
}

function factsOf(statement: JsonObject): [string, string][] {
  const logs = member(statement, 'logs');
  const shown = (value: JsonValue | undefined): string =>
    printable(typeof value === 'string' ? value : JSON.stringify(value ?? null));
  return [
    ['Node', shown(member(statement, 'nodeId'))],
    ['Version', shown(member(statement, 'version'))],
    ...elementsOf(logs).flatMap((log): [string, string][] => {
      if (!isJsonObject(log)) throw new UsageError('--statement: logs must be objects');
      const closed = member(log, 'closed');
      return [
        ['Log', `${shown(member(log, 'origin'))} (${shown(member(log, 'role'))})`],
        ['Key', shown(member(log, 'vkey'))],
        [
          'Promises',
          `every receipt since ${shown(member(log, 'since'))} within ${shown(member(log, 'mmdSeconds'))} s` +
            (closed === null || closed === undefined ? '' : `, closed: ${shown(closed)}`),
        ],
      ];
    }),
  ];
}
