import type { KeyHistoryVerification } from '@cer/cer-core/logs';
import { onlyOperand, readArguments } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { readHistory } from '../key-history/history-source.js';
import { adviceOn, readFingerprint, verifyPinned } from '../key-history/pinned-history.js';
import type { HistoryPin } from '../key-history/seen-histories.js';
import { TIMEOUT_FLAG, TIMEOUT_FLAG_HELP, withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { describeKey, keySections } from '../report/key-sections.js';
import { paragraph, rows, widthOf } from '../report/lay-out.js';
import { paintFor } from '../report/paint.js';
import { fail } from '../report/failure.js';
import { printable, printableJson } from '../printable.js';
import { section, voucherRows, type Page } from '../report/sections.js';
import { UsageError } from '../usage-error.js';
import type { Command } from '../command.js';
import { counted } from '@cer/cer-core/wording';

/** Verifies what each key of a node was worth when. @see docs/spec.md, "Key history verification" */
export const keysHistoryVerifyCommand: Command = {
  name: 'keys history verify',
  summary: 'check the key history of a node against the root that you trust',
  usage: ['keys history verify FILE|URL --root FINGERPRINT --node-id ID [--json]'],
  options: [
    ['--root FINGERPRINT', 'the root key that must have signed, confirmed by its owner'],
    ['--node-id ID', 'the node whose history this must be'],
    ['--json', 'as JSON'],
    ...TIMEOUT_FLAG_HELP,
  ],
  examples: [
    [
      'cer keys history verify https://node.example --root sha256:... --node-id node-1',
      'as the node publishes it; an older history than one accepted before is refused',
    ],
    ['cer keys history verify history.json --root sha256:... --node-id node-1 --json', 'a saved one, for a program'],
  ],
  run,
};

type Accepted = Extract<KeyHistoryVerification, { accepted: true }>;

async function run(args: readonly string[], untimed: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, {
    root: { type: 'string' },
    'node-id': { type: 'string' },
    json: { type: 'boolean' },
    ...TIMEOUT_FLAG,
  });
  const io = withTimeout(flags.timeout, untimed);
  const source = onlyOperand(operands, 'FILE');
  const nodeId = flags['node-id'];
  if (nodeId === undefined || nodeId === '')
    throw new UsageError('--node-id is missing: it names the node of this history');
  const pin = { nodeId, rootFingerprint: readFingerprint(flags.root) };
  const read = await readHistory(source, io);
  if (read.unavailable !== null)
    return fail({ reason: 'VERIFICATION_MATERIAL_UNAVAILABLE', detail: read.unavailable }, io);
  const result = await verifyPinned(read.document, pin, io);
  const page: Page = { paint: paintFor(io.stdout, io.env), width: widthOf(io.stdout) };
  if (!result.accepted) {
    const [{ code, member, detail }] = result.findings;
    const text = member === '' ? detail : `${member} ${detail}`;
    if (flags.json !== true) {
      const advice = paragraph(printable(adviceOn(code, pin, io.env)), page.width);
      const why = paragraph(`${printable(text)} [${code}]`, page.width);
      io.stdout.write(`${page.paint.bad('REFUSED')}\n${why}${section('What to do next', advice, page)}`);
    }
    return fail({ reason: code, detail: text }, io);
  }
  io.stdout.write(flags.json === true ? `${printableJson(jsonOf(result, pin))}\n` : acceptedPage(result, pin, page));
  return EXIT.verified;
}

function jsonOf({ keySet, history, seen, findings }: Accepted, pin: HistoryPin): object {
  const { issuedAt, nextUpdate } = history.statement;
  const keys = [...keySet.entries.values()].map(describeKey);
  const revocationsKnownUntil = issuedAt;
  return { status: 'VERIFIED', ...pin, ...seen, issuedAt, nextUpdate, revocationsKnownUntil, findings, keys };
}

function acceptedPage({ keySet, history, findings }: Accepted, pin: HistoryPin, page: Page): string {
  const { version, issuedAt, nextUpdate, historyHead } = history.statement;
  const { rootFingerprint } = pin;
  const signing = keySet.activeKid;
  return [
    `${page.paint.good('ACCEPTED')}\n`,
    paragraph('The root that you trust signed these statements about each key.', page.width),
    section(
      'Key history',
      rows(
        [
          ['Node', printable(keySet.nodeId)],
          ['Version', `${version}, over ${counted(historyHead.seq, 'entry', 'entries')}`],
          ['Signed', `${issuedAt}; the next is promised by ${nextUpdate}`],
          ['Signs now', signing === null ? 'no key' : printable(signing)],
          ...voucherRows({ rootFingerprint, revocationsKnownUntil: issuedAt, notices: findings }),
        ],
        page.width,
      ),
      page,
    ),
    ...keySections(keySet, page),
  ].join('');
}
