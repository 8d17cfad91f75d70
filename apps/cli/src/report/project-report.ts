import type { LayerOutcome, ProjectEvaluation, StepResult } from '@cer/cer-core/verify';
import type { KeyLookup } from '../trusted-keys/key-material.js';
import { headline } from './certificate-report.js';
import { paragraph, row, rows, type Row } from './lay-out.js';
import { printable } from '../printable.js';
import { logRows } from './log-rows.js';
import { checkLine, faultSections, keyRows, section, type Page } from './sections.js';
import { witnessRows } from './time-rows.js';
import type { ProjectSigner, Verification } from '../verification.js';
import type { Verdict } from './verdict.js';

type ProjectVerification = Extract<Verification, { readonly kind: 'project' }>;

/** More steps than these are counted, not listed; failing ones come first. */
const MAX_STEPS = 50;

/** The report for people on a project bundle: the whole, then its steps. */
export function projectReport({ evaluation, title, signer }: ProjectVerification, keys: KeyLookup, page: Page): string {
  const { projectHash, totalSteps, steps, findings, nodeReceipt, registeredAt, verifiedAt } = evaluation;
  const passed = steps.filter(({ ok }) => ok).length;
  const attested = steps.filter(({ isAttested }) => isAttested).length;
  const verdict = projectVerdict(evaluation);
  const facts: readonly Row[] = [
    ...(title === null ? [] : [row('Title', `${printable(title)} (stated by the producer)`)]),
    ['Hash', printable(projectHash.submitted ?? 'none')],
    ['Steps', `${totalSteps} registered, ${passed} verified, ${attested} signed by a node`],
  ];
  return [
    headline(verdict, page),
    paragraph(verdict.sentence, page.width),
    section('Project', rows(facts, page.width), page),
    section('What was checked', projectChecks(evaluation, page), page),
    section('Steps', stepLines(steps, page), page),
    faultSections([...findings, ...steps.flatMap(faultsOfStep)], keys, page),
    section('Who signed', rows([...signerRows(signer, nodeReceipt), ...keyRows(keys)], page.width), page),
    section(
      'When',
      rows(
        [
          ...(registeredAt === null ? [] : [row('Registered', `${printable(registeredAt)} (the node's own clock)`)]),
          ...witnessRows(evaluation),
          ['Verified', `${verifiedAt} (this computer's clock)`],
        ],
        page.width,
      ),
      page,
    ),
    section('Transparency log', rows(logRows(evaluation.transparency), page.width), page),
  ].join('');
}

function projectVerdict({ status, code, nodeReceipt, isWhole }: ProjectEvaluation): Verdict {
  if (status === 'FAILED') {
    return {
      tone: code === 'VERIFICATION_MATERIAL_UNAVAILABLE' ? 'careful' : 'bad',
      headline: code === 'VERIFICATION_MATERIAL_UNAVAILABLE' ? `NOT VERIFIED (${code})` : `FAILED (${code})`,
      sentence: 'This project failed verification as a whole. Do not rely on it.',
    };
  }
  if (nodeReceipt.status === 'PASS' && !isWhole) {
    return {
      tone: 'neutral',
      headline: 'VERIFIED: the registration only, not every step',
      sentence:
        'A node has signed the project as a whole, and every step that is present is valid. Steps are left out, or ' +
        'have no own signature; the list below shows which.',
    };
  }
  return nodeReceipt.status === 'PASS'
    ? {
        tone: 'good',
        headline: 'VERIFIED',
        sentence: 'The project is unchanged, a node has signed it, and every step is present, valid and signed.',
      }
    : {
        tone: 'neutral',
        headline: 'VERIFIED: integrity only, the project signed by no node',
        sentence:
          'The project matches its hash and every step is valid, but no node has signed the project as a whole.',
      };
}

function projectChecks({ projectHash, structuralValid, steps, nodeReceipt }: ProjectEvaluation, page: Page): string {
  const outcome = (isGood: boolean): Pick<LayerOutcome, 'status'> => ({ status: isGood ? 'PASS' : 'FAIL' });
  const areSound = steps.every(({ ok, status }) => ok || status === 'WITHDRAWN');
  return [
    checkLine('Hash', outcome(projectHash.valid), 'The content of the project against the hash it states.', page),
    checkLine(
      'Structure',
      outcome(structuralValid),
      'Registry, order, links between steps, and what is embedded.',
      page,
    ),
    checkLine('Steps', outcome(areSound), 'Each embedded certificate, verified by itself.', page),
    checkLine('Receipt', nodeReceipt, "The node's signature for the project as a whole.", page),
  ].join('');
}

function signerRows(signer: ProjectSigner | null, { status }: LayerOutcome): readonly Row[] {
  if (signer === null) {
    const unsigned = 'no node signed the project as a whole';
    return [['Node', status === 'SKIPPED' ? unsigned : 'no signature could be confirmed']];
  }
  return [
    ['Node', printable(signer.nodeId)],
    ['Key', printable(signer.kid)],
    ['Fingerprint', signer.keyFingerprint ?? 'unknown'],
  ];
}

function stepLines(steps: readonly StepResult[], { paint }: Page): string {
  const ordered = [...steps].sort((a, b) => Number(a.status !== 'FAILED') - Number(b.status !== 'FAILED'));
  const colours = {
    FAILED: paint.bad,
    WITHDRAWN: paint.careful,
    VERIFIED: paint.good,
    VERIFIED_CONFIDENTIAL: paint.good,
  };
  const lines = ordered.slice(0, MAX_STEPS).map(({ status, stepId, certificateHash, isAttested }) => {
    const colour = status.startsWith('VERIFIED') && !isAttested ? (text: string): string => text : colours[status];
    const note = status.startsWith('VERIFIED') && !isAttested ? '  (integrity only)' : '';
    return `  ${colour(status.padEnd(22))} ${printable(stepId, 60)}  ${printable(certificateHash)}${note}\n`;
  });
  const left = steps.length - lines.length;
  return lines.join('') + (left > 0 ? `  ... and ${left} more\n` : '');
}

function faultsOfStep({ ok, status, stepId, findings }: StepResult): StepResult['findings'] {
  if (ok || status === 'WITHDRAWN') return [];
  return findings.map((finding) => ({ ...finding, member: `step ${stepId}: ${finding.member}` }));
}
