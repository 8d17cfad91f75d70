import { EXIT, type ExitCode } from '../exit-code.js';
import type { KeyLookup } from '../trusted-keys/key-material.js';
import type { Io } from '../io.js';
import { keyStatement } from '../report/json-report.js';
import { paragraph, rows, widthOf } from '../report/lay-out.js';
import { paintFor } from '../report/paint.js';
import { printable, printableJson } from '../printable.js';
import { checkLine, keyRows, section, type Page } from '../report/sections.js';
import { VERIFIER } from '../version.js';
import { logSentence } from './log-completeness.js';
import type { PackageVerification } from './check-package.js';
import { coverageRows } from './coverage-rows.js';
import { packageAdvice } from './package-advice.js';

/** Maximum findings in the text report; further ones are only counted. */
const MAX_SHOWN = 20;

/** Writes the report to stdout and, on failure, one JSON report and nothing else to stderr. @returns the exit code */
export function writePackageReport(
  verification: PackageVerification,
  keys: KeyLookup,
  { asJson, hasLogPolicy }: { readonly asJson: boolean; readonly hasLogPolicy: boolean },
  io: Io,
): ExitCode {
  const page = { paint: paintFor(io.stdout, io.env), width: widthOf(io.stdout) };
  const report = (): string => readable(verification, keys, hasLogPolicy, page);
  io.stdout.write(asJson ? `${printableJson(toJson(verification, keys))}\n` : report());
  if (verification.status === 'VERIFIED') return EXIT.verified;
  io.stderr.write(`${printableJson({ ...toJson(verification, keys), reason: verification.code })}\n`);
  return EXIT.failed;
}

function toJson({ manifest, ...verification }: PackageVerification, keys: KeyLookup): object {
  // The list of entries may have thousands of rows; the package itself contains it.
  const { entries, ...stated } = manifest ?? { entries: [] };
  return {
    ...verification,
    manifest: manifest === null ? null : { ...stated, entries: entries.length },
    keySet: keyStatement(keys),
    verifier: VERIFIER,
  };
}

function readable(verification: PackageVerification, keys: KeyLookup, hasLogPolicy: boolean, page: Page): string {
  const { status, code, checks, records, findings, findingCount } = verification;
  const { paint, width } = page;
  const isSound = status === 'VERIFIED';
  const shown = findings.slice(0, MAX_SHOWN).map(({ entry, detail, code: found }) => {
    const where = entry === '' ? 'the package' : printable(entry);
    return paragraph(`${where}: ${printable(detail)} [${found}]`, width);
  });
  const more = findingCount - shown.length;
  const counts =
    `${records.total} checked: ${records.verified} verified, signed by the node, ` + `${records.failed} failed.`;
  return [
    isSound ? `${paint.good('VERIFIED')}\n` : `${paint.bad(`FAILED (${code})`)}\n`,
    paragraph(completenessSentence(verification), width),
    section('Transparency log', logParagraph(verification, hasLogPolicy, width), page),
    section('Coverage', rows(coverageRows(verification.coverage), width), page),
    section('Package', rows(packageRows(verification), width), page),
    section(
      'What was checked',
      [
        checkLine('File', { status: checks.form }, 'The ZIP is whole, plain and holds nothing hidden.', page),
        checkLine(
          'Manifest',
          { status: checks.manifestSignature },
          "The node's signature over the list of files.",
          page,
        ),
        checkLine(
          'Files',
          { status: checks.entries },
          'Every file is in the list, unchanged, and none is missing.',
          page,
        ),
        checkLine('Records', { status: checks.records }, 'Number, order and question are as the list says.', page),
        checkLine('Content', { status: checks.certificates }, counts, page),
      ].join(''),
      page,
    ),
    section('What is wrong', shown.join('') + (more > 0 ? paragraph(`... and ${more} more`, width) : ''), page),
    section('What to do next', code === 'OK' ? '' : paragraph(packageAdvice(code, keys.unavailable), width), page),
    section('Who signed', rows(keyRows(keys), width), page),
  ].join('');
}

/** The statement that auditors need first. */
function completenessSentence({ code, completeness, manifest, checks, records }: PackageVerification): string {
  if (completeness === 'complete' && manifest !== null) {
    const failed =
      records.failed === 0 ? '' : ` But ${records.failed} of them must not be relied on: they do not verify.`;
    const held = records.total === 1 ? 'this 1 record is' : `these ${records.total} records are`;
    return (
      `This package is complete: the node signed that ${held} all that it held for this ` +
      `question at ${printable(manifest.asOf)}, deleted ones left out.${failed}`
    );
  }
  if (code === 'VERIFICATION_MATERIAL_UNAVAILABLE') {
    return 'Completeness is unknown: the signature over the list of contents cannot be checked without the keys of the node.';
  }
  if (checks.entries === 'PASS' && checks.records === 'PASS' && checks.manifestSignature === 'PASS') {
    return 'The node signed that this package is complete, and the log does not prove it. Do not rely on it as a whole.';
  }
  return checks.manifestSignature === 'PASS'
    ? 'The package differs from the content that the node signed. Do not rely on it as a whole.'
    : 'Completeness is unknown: no list of contents has a valid signature, so records may be missing.';
}

/** The log's proof, which is independent of the node's statements. */
function logParagraph({ log }: PackageVerification, hasPolicy: boolean, width: number): string {
  const absent = hasPolicy && log.status === 'absent' ? LOG_ABSENT : null;
  const sentence = log.status === 'failed' ? LOG_FAILED : (logSentence(log) ?? absent);
  return sentence === null ? '' : paragraph(printable(sentence), width);
}

const LOG_ABSENT =
  'This package has no proof of the log for its question: that no record is missing is a statement of the node alone.';
const LOG_FAILED = 'The log does not prove that this package is complete; see the findings.';

function packageRows({ manifest }: PackageVerification): [string, string][] {
  if (manifest === null) return [];
  const { nodeId, kid, tenantId, asOf, signedAt, count, query } = manifest;
  const asked = Object.entries(query)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${printable(String(value))}`);
  return [
    ['Node', printable(nodeId)],
    ['Key', printable(kid)],
    ['Account', printable(tenantId)],
    ['Asked for', asked.length === 0 ? 'all records' : asked.join(', ')],
    ['As of', printable(asOf)],
    ['Signed', `${printable(signedAt)} (the node's own clock)`],
    ['Records', String(count)],
  ];
}
