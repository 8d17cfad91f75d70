import { EXIT, type ExitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import { printable, printableJson } from '../printable.js';
import { paragraph, rows, widthOf } from '../report/lay-out.js';
import { paintFor } from '../report/paint.js';
import type { RenderVerdict } from './judge-render.js';

/** The report about one render. */
export interface RenderReport {
  readonly verdict: RenderVerdict;
  readonly certificateHash: string | null;
  /** Of a loop, in order. */
  readonly frameHashes: readonly string[];
  readonly asJson: boolean;
}

const HEADLINES = {
  same: 'SAME PICTURE: this machine draws the certified picture',
  another: 'ANOTHER PICTURE: the same engine draws something else here',
  'not-judged': 'CANNOT BE JUDGED: this says nothing about the certificate',
} as const;

const STATUS = { same: 'SAME_PICTURE', another: 'ANOTHER_PICTURE', 'not-judged': 'CANNOT_BE_JUDGED' } as const;

const INTEGRITY_ONLY = 'The certificate is intact. Run `cer verify` to check who signed it.';

/** Writes the result of drawing again. @see docs/spec.md, "Command line" */
export function writeRenderVerdict({ verdict, certificateHash, frameHashes, asJson }: RenderReport, io: Io): ExitCode {
  const { kind, ...details } = verdict;
  const json = { status: STATUS[kind], checks: {}, certificateHash, ...details };
  if (asJson) io.stdout.write(`${printableJson({ ...json, ...(frameHashes.length > 0 && { frameHashes }) })}\n`);
  else io.stdout.write(page(verdict, certificateHash, io));
  if (kind === 'same') return EXIT.verified;
  const reason = kind === 'another' ? 'OUTPUT_HASH_MISMATCH' : 'CANNOT_BE_JUDGED';
  io.stderr.write(`${printableJson({ ...json, status: kind === 'another' ? 'FAILED' : json.status, reason })}\n`);
  return kind === 'another' ? EXIT.failed : EXIT.notJudged;
}

function page(verdict: RenderVerdict, certificateHash: string | null, io: Io): string {
  const width = widthOf(io.stdout);
  const { strong } = paintFor(io.stdout, io.env);
  const facts: [string, string][] =
    verdict.kind === 'not-judged'
      ? []
      : [
          ['Pixels', verdict.outputHash],
          ['PNG', verdict.imageHash],
        ];
  return [
    `${strong(HEADLINES[verdict.kind])}\n`,
    paragraph(verdict.kind === 'not-judged' ? printable(verdict.why, 2500) : INTEGRITY_ONLY, width),
    '\n',
    rows([['Certificate', certificateHash ?? ''], ...facts], width),
  ].join('');
}
