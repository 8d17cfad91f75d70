import type { Finding } from '@cer/cer-core';
import type { VNode } from 'preact';
import { Hash } from './copy-block.js';
import { TEXTS } from './texts.js';

const T = TEXTS.failure;
const SHOWN_AT_ONCE = 5;

/** Each fault: the exact member, the rule, expected and computed value, and what to do next. */
export function Findings({
  findings,
  code,
}: {
  readonly findings: readonly Finding[];
  readonly code: string;
}): VNode | null {
  if (findings.length === 0) return null;
  const rest = findings.slice(SHOWN_AT_ONCE, 200);
  return (
    <section class="card findings" aria-labelledby="findings-title">
      <h2 id="findings-title">{T.title}</h2>
      <FindingList findings={findings.slice(0, SHOWN_AT_ONCE)} />
      {rest.length > 0 && (
        <details>
          <summary>{T.more}</summary>
          <FindingList findings={rest} />
        </details>
      )}
      <h3>{T.next}</h3>
      <ol class="next-steps">
        {nextSteps(code).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </section>
  );
}

export function FindingList({ findings }: { readonly findings: readonly Finding[] }): VNode {
  return (
    <ul class="finding-list">
      {findings.map((finding, index) => (
        <li key={index}>
          <p>
            <code class="member">{finding.member === '' ? T.whole : finding.member}</code> {finding.detail}
          </p>
          {(finding.expected !== undefined || finding.computed !== undefined) && (
            <dl class="hash-pair">
              <dt>{T.expected}</dt>
              <dd>
                <Hash value={finding.expected ?? TEXTS.facts.none} />
              </dd>
              <dt>{T.computed}</dt>
              <dd>
                <Hash value={finding.computed ?? TEXTS.facts.none} />
              </dd>
            </dl>
          )}
          <p class="note">
            {T.code}: <code>{finding.code}</code>
            {finding.reason !== undefined && (
              <>
                , <code>{finding.reason}</code>
              </>
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}

function nextSteps(code: string): readonly string[] {
  if (code === 'VERIFICATION_MATERIAL_UNAVAILABLE') return T.steps.material;
  if (code === 'KEY_REVOKED') return T.steps.revoked;
  if (code === 'ATTESTATION_MISSING' || code === 'ATTESTATION_INVALID_SIGNATURE') return T.steps.attestation;
  if (code.startsWith('ATTESTATION_')) return T.steps.key;
  if (code === 'PROJECT_HASH_MISMATCH' || code === 'STEP_REGISTRY_MISMATCH' || code === 'CHAIN_BREAK_DETECTED')
    return T.steps.project;
  if (code === 'SCHEMA_ERROR' || code.startsWith('PROTECTED_') || code === 'INVALID_SHA256_FORMAT')
    return T.steps.schema;
  return T.steps.content;
}
