import type { Evaluation } from '@cer/cer-core/verify';
import { reviewOf } from '@cer/cer-core/review';
import type { PictureCheck } from '@cer/cer-core/picture';
import type { Verification } from '../verification.js';
import type { KeyLookup } from '../trusted-keys/key-material.js';
import { paragraph, row, rows, type Row } from './lay-out.js';
import { printable } from '../printable.js';
import { checkLine, faultSections, keyRows, section, type Page } from './sections.js';
import { statedExecution } from './producer-statements.js';
import { logRows } from './log-rows.js';
import { timeRows } from './time-rows.js';
import { layerSentences, verdictOf, type Verdict } from './verdict.js';

const DOES_NOT_PROVE =
  'That the output is correct, fair, lawful or complete; that the model would answer the same again; that the times ' +
  'and names the producer states are true.';

/**
 * The report for people: the verdict first, then why, who, when, and what follows from it.
 * Everything that comes from the certificate, the key set or a file name is made safe to print.
 */
export function certificateReport(
  { evaluation, picture }: Extract<Verification, { readonly kind: 'certificate' }>,
  keys: KeyLookup,
  page: Page,
): string {
  const verdict = verdictOf(evaluation);
  const layers = layerSentences(evaluation).map(([name, outcome, sentence]) =>
    checkLine(name, outcome, sentence, page),
  );
  const isSound = evaluation.status !== 'FAILED';
  return [
    headline(verdict, page),
    paragraph(verdict.sentence, page.width),
    section('Certificate', rows(certificateRows(evaluation), page.width), page),
    section('Human review', rows(reviewRows(evaluation), page.width), page),
    section('Picture', rows(pictureRows(picture), page.width), page),
    section('What was checked', layers.join(''), page),
    faultSections(evaluation.findings, keys, page),
    section('Who signed', rows([...signerRows(evaluation), ...keyRows(keys)], page.width), page),
    section('When', rows(timeRows(evaluation), page.width), page),
    section('Transparency log', rows(logRows(evaluation.transparency), page.width), page),
    isSound ? section('What the producer states', rows(statedRows(evaluation), page.width), page) : '',
    isSound ? section('What this proves', paragraph(whatItProves(evaluation), page.width), page) : '',
    isSound ? section('What it does not prove', paragraph(DOES_NOT_PROVE, page.width), page) : '',
  ].join('');
}

export function headline({ tone, headline: text }: Verdict, { paint }: Page): string {
  const colour = { good: paint.good, neutral: paint.strong, careful: paint.careful, bad: paint.bad }[tone];
  return `${colour(text)}\n`;
}

function certificateRows(evaluation: Evaluation): readonly Row[] {
  const { certificateHash, bundleType, protocolVersion, canonicalization, isResealed, provenance } = evaluation;
  const protocol = protocolVersion === null ? '' : `, protocol ${printable(protocolVersion)}`;
  const profile = canonicalization === null ? '' : ` (${canonicalization})`;
  const original = provenance?.originalCertificateHash ?? null;
  const claim = provenance?.state === 'proven' ? 'the node signed this' : 'claimed, unproven';
  return [
    ['Hash', certificateHash ?? 'none that is well-formed'],
    ['Kind', `${bundleType ?? 'unknown'}${protocol}${profile}`],
    ...(isResealed ? [row('Cut from', `${printable(original ?? 'an unnamed original')} (${claim})`)] : []),
  ];
}

/** Of an intact certificate; the node signed that it was stated, and not that the person did so. */
function reviewRows({ bundle, integrity }: Evaluation): readonly Row[] {
  const review = bundle === null || integrity.status !== 'PASS' ? null : reviewOf(bundle);
  if (review === null) return [];
  return [
    ['Of', `${review.subject} ${review.reviewed}`],
    ['Decision', `${review.decision}, as the producer states`],
    ['Reviewer', 'sealed, with the comment; a holder of the values can show them (cer open)'],
  ];
}

function pictureRows(picture: PictureCheck | undefined): readonly Row[] {
  if (picture === undefined) return [];
  const { imageHash, certifiedHash, isCertified } = picture;
  return [
    ['Hash', `${imageHash}, without the certificate in it`],
    ['Certified', isCertified ? 'this picture, to the byte' : (certifiedHash ?? 'no picture')],
  ];
}

function signerRows({ signed, receipt }: Evaluation): readonly Row[] {
  if (signed === null) {
    return [
      ['Node', receipt.status === 'SKIPPED' ? 'no node signed this certificate' : 'no signature could be confirmed'],
    ];
  }
  const status = signed.keyStatus === null ? '' : ` (${signed.keyStatus})`;
  return [
    ['Node', printable(signed.nodeId)],
    ['Key', `${printable(signed.kid)}${status}`],
    ['Fingerprint', signed.keyFingerprint ?? 'unknown'],
  ];
}

function statedRows({ bundle, supplemental }: Evaluation): readonly Row[] {
  const note = 'this file holds more, which the hash does not cover; it is not shown and proves nothing';
  return [
    ...statedExecution(bundle).map(([label, text]) => row(label, printable(text))),
    ...(supplemental ? [row('Not covered', note)] : []),
  ];
}

function whatItProves({ receipt, isHashOnly, contentMode, envelope }: Evaluation): string {
  if (receipt.status !== 'PASS') {
    const sealed = contentMode === null ? '' : ' No node has attested the sealed input and output either.';
    return `That the parts of this file that its hash covers match that hash, and nothing more.${sealed}`;
  }
  if (isHashOnly) return 'That the node named above signed this hash, by its own clock at the time above.';
  const content =
    contentMode === null
      ? 'A holder of the input or the output can show that it is the one.'
      : 'A holder of an opening can show that one value is the sealed one (cer open).';
  const second = envelope.status === 'PASS' ? ', content included' : '';
  return `That the node named above signed exactly this record${second}, and that nothing in it changed since. ${content}`;
}
