import { jwkThumbprint, keyFingerprint, publicKeyFromBase64, toSpkiBase64, type Signer } from '@cer/keys';
import type { RootKey } from '@cer/keys/key-history';
import { openRootFile } from '@cer/keys/file-signer';
import { readArguments, required } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { readHistory } from '../key-history/history-source.js';
import { nextStatement, NotSigned, signNext, type NextStatement } from '../key-history/next-statement.js';
import { adviceOn, nodeIdIn } from '../key-history/pinned-history.js';
import { keepSeen, readSeen, type HistoryPin } from '../key-history/seen-histories.js';
import { writeNewFile } from '../files/new-file.js';
import { nameOf } from '../files/read-bytes.js';
import { TIMEOUT_FLAG, TIMEOUT_FLAG_HELP, withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { fail } from '../report/failure.js';
import { changeRows } from '../report/key-changes.js';
import { paragraph, rows, widthOf } from '../report/lay-out.js';
import { paintFor } from '../report/paint.js';
import { printable } from '../printable.js';
import { section, type Page } from '../report/sections.js';
import { UsageError } from '../usage-error.js';
import type { Command } from '../command.js';
import { counted } from '@cer/cer-core/wording';
import { agrees } from './agrees.js';
import { asUsage } from './keys-root-init.js';

const DEFAULT_DAYS = 30;
const NOT_PUBLISHED =
  'If the node refused the history that was signed last (409 KEY_HISTORY_CONFLICT: its own had changed), no ' +
  'verifier accepted that one: delete it and the state named below, and sign again. Otherwise: ';

/** Has a root vouch for the key history of a node. @see docs/spec.md, "Key set statement" */
export const keysRootSignCommand: Command = {
  name: 'keys root sign',
  summary: 'show what changed in the keys of a node, and vouch for it with a root key',
  usage: [
    'keys root sign --root FILE --history FILE|URL --out FILE [options]',
    'keys root sign --root FILE --history FILE|URL --dry-run',
  ],
  options: [
    ['--root FILE', 'the root key, as keys root init made it'],
    ['--history FILE|URL', 'the key history of the node: saved, or the address of the node'],
    ['--out FILE', 'where to write the signed history, for the node to publish; it is never overwritten'],
    ['--days N', `promise a newer statement within N days (${DEFAULT_DAYS} unless given)`],
    ['--add-root KEY', 'vouch for another root too: its public key, as keys root init printed it'],
    ['--dry-run', 'only show the statement, without signing it'],
    ['--yes', 'do not ask for confirmation; without a terminal, nothing is asked'],
    ...TIMEOUT_FLAG_HELP,
  ],
  examples: [
    [
      'cer keys root sign --root root.json --history history.json --out signed.json',
      'shows the changes, asks, and signs; no connection is opened',
    ],
    [
      'cer keys root sign --root root.json --history https://node.example --dry-run',
      'the entries that wait for a signature',
    ],
  ],
  run,
};

const FLAGS = {
  root: { type: 'string' },
  history: { type: 'string' },
  out: { type: 'string' },
  days: { type: 'string' },
  'add-root': { type: 'string' },
  'dry-run': { type: 'boolean' },
  yes: { type: 'boolean' },
  ...TIMEOUT_FLAG,
} as const;

async function run(args: readonly string[], untimed: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, FLAGS);
  const io = withTimeout(flags.timeout, untimed);
  if (operands.length > 0) throw new UsageError('keys root sign takes flags only');
  const rootFile = required(flags.root, '--root');
  const source = required(flags.history, '--history');
  const isDryRun = flags['dry-run'] ?? false;
  const out = isDryRun ? null : required(flags.out, '--out');
  const days = readDays(flags.days);
  const newRoot = readNewRoot(flags['add-root']);
  const mustAsk = io.stdout.isTerminal && flags.yes !== true && !isDryRun;
  if (mustAsk && source === '-') throw new UsageError('--history - leaves no input for the confirmation: add --yes');
  const root = asUsage(() => openRootFile(rootFile));
  const read = await readHistory(source, io);
  if (read.unavailable !== null)
    return fail({ reason: 'VERIFICATION_MATERIAL_UNAVAILABLE', detail: read.unavailable }, io);
  const { document } = read;
  const pin = { nodeId: nodeIdIn(document), rootFingerprint: keyFingerprint(root.publicKey) };
  const terms = { highestSeen: await readSeen(pin, io.env), newRoot, now: io.now(), days };
  try {
    const next = await nextStatement(document, root, terms);
    const page: Page = { paint: paintFor(io.stdout, io.env), width: widthOf(io.stdout) };
    io.stdout.write(whatIsSigned(next, root, page));
    if (out === null) return EXIT.verified;
    if (mustAsk && !(await agrees(io))) return fail({ reason: 'NOT_CONFIRMED', detail: 'nothing was signed' }, io);
    const signed = await signNext(next, root, terms);
    await writeNewFile(out, `${JSON.stringify(signed.document, null, 2)}\n`, { option: '--out' }, io);
    await keepSeen(pin, signed.seen, io);
    io.stdout.write(`\nSigned: ${nameOf(out)}\n`);
    return EXIT.verified;
  } catch (error) {
    if (!(error instanceof NotSigned)) throw error;
    const page: Page = { paint: paintFor(io.stdout, io.env), width: widthOf(io.stdout) };
    io.stdout.write(whyNotSigned(error, pin, io.env, page));
    return fail({ reason: error.code, detail: error.message }, io);
  }
}

function readDays(flag: string | undefined): number {
  if (flag === undefined) return DEFAULT_DAYS;
  if (!/^[1-9]\d{0,3}$/.test(flag)) throw new UsageError('--days: must be a whole number from 1 to 9999');
  return Number(flag);
}

function readNewRoot(flag: string | undefined): RootKey | null {
  if (flag === undefined) return null;
  return asUsage(() => {
    const key = publicKeyFromBase64(flag);
    return { kid: jwkThumbprint(key), publicKey: toSpkiBase64(key) };
  });
}

function whatIsSigned({ statement, added, entries }: NextStatement, root: Signer, page: Page): string {
  const { nodeId, version, historyHead, issuedAt, nextUpdate, keySet } = statement;
  const facts: [string, string][] = [
    ['Node', printable(nodeId)],
    ['Root', keyFingerprint(root.publicKey)],
    ['Version', `${version}, over ${counted(historyHead.seq, 'entry', 'entries')}`],
    ['Says', `the keys as of ${issuedAt}; a newer statement follows by ${nextUpdate}`],
    ['Signs now', keySet.activeKid === null ? 'no key' : printable(keySet.activeKid)],
  ];
  const changes =
    added.length === 0
      ? paragraph('Nothing changed since the last statement; this one only says so.', page.width)
      : rows(changeRows(added, entries), page.width);
  const keys = keySet.keys.map(({ kid, status, publicKey }): [string, string] => [
    status,
    `${printable(kid)}, ${keyFingerprint(publicKeyFromBase64(publicKey))}`,
  ]);
  return [
    `${page.paint.strong('What this root vouches for')}\n`,
    rows(facts, page.width),
    section('New since its last statement', changes, page),
    section('Which makes these keys', rows(keys, page.width), page),
  ].join('');
}

function whyNotSigned({ code, message }: NotSigned, pin: HistoryPin, env: Io['env'], page: Page): string {
  const advice =
    code === 'KEY_HISTORY_ROOT_UNKNOWN'
      ? 'The owner of the root in the history can add this one: cer keys root sign --add-root, with the ' +
        'public key that keys root init printed for it.'
      : (code === 'KEY_HISTORY_FORK' ? NOT_PUBLISHED : '') + adviceOn(code, pin, env);
  const why = paragraph(`${printable(message)} [${code}]`, page.width);
  const next = section('What to do next', paragraph(printable(advice, 1000), page.width), page);
  return `${page.paint.bad('NOT SIGNED')}\n${why}${next}`;
}
