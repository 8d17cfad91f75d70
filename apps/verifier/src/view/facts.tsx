import type { VNode } from 'preact';
import type { CertificateCheck, KeySource } from '../check/check-result.js';
import { CopyButton, Hash } from './copy-block.js';
import { ExternalTime } from './external-time.js';
import { Fact } from './fact.js';
import { LogFact } from './log-fact.js';
import { TEXTS } from './texts.js';

const T = TEXTS.facts;

export function Facts({ check }: { readonly check: CertificateCheck }): VNode {
  const { facts, report, keySource } = check;
  const isProven = facts.provenance === 'proven';
  const hashName = facts.isResealed ? T.resealedHash : T.certificateHash;
  return (
    <section class="card" aria-labelledby="facts-title">
      <h2 id="facts-title">{T.title}</h2>
      <dl class="facts">
        {facts.certificateHash !== null && (
          <Fact name={hashName}>
            <Hash id="certificate-hash" value={facts.certificateHash} />
            <CopyButton target="certificate-hash" label={hashName} />
          </Fact>
        )}
        {check.review !== null && (
          <Fact name={T.review} note={T.byProducer}>
            {`${check.review.decision}: ${check.review.subject} `}
            <Hash value={check.review.reviewed} />
          </Fact>
        )}
        {check.picture !== null && (
          <Fact name={T.picture} note={check.picture.isCertified ? T.samePicture : T.anotherPicture}>
            <Hash value={check.picture.imageHash} />
          </Fact>
        )}
        {facts.originalCertificateHash !== null && (
          <Fact name={T.originalCertificateHash} note={isProven ? T.notRecomputed : T.claimed}>
            <Hash value={facts.originalCertificateHash} />
          </Fact>
        )}
        {facts.bundleType !== null && <Fact name={T.bundleType}>{facts.bundleType}</Fact>}
        {facts.protocolVersion !== null && (
          <Fact name={T.protocol}>
            {facts.protocolVersion}
            {facts.canonicalization !== null && `, ${facts.canonicalization}`}
          </Fact>
        )}
        {facts.createdAt !== null && (
          <Fact name={T.createdAt} note={T.byProducer}>
            {facts.createdAt}
          </Fact>
        )}
        {facts.attestedAt !== null && (
          <Fact name={T.attestedAt} note={T.byNode}>
            {facts.attestedAt}
          </Fact>
        )}
        {facts.nodeId !== null && <Fact name={T.nodeId}>{facts.nodeId}</Fact>}
        <KeyFacts kid={facts.kid} fingerprint={facts.keyFingerprint} status={facts.keyStatus} source={keySource} />
        {(facts.attestedAt !== null || facts.timestamp?.type === 'rfc3161') && (
          <Fact name={T.timestamp}>
            <ExternalTime timestamp={facts.timestamp} keyRescue={facts.keyRescue} />
          </Fact>
        )}
        {(facts.attestedAt !== null || facts.transparency.status !== 'not-checked') && (
          <LogFact transparency={facts.transparency} />
        )}
        <Fact name={T.verifiedAt}>{report.verifiedAt}</Fact>
      </dl>
      <FactNotes check={check} />
    </section>
  );
}

export function KeyFacts(props: {
  readonly kid: string | null;
  readonly fingerprint: string | null;
  readonly status: string | null;
  readonly source: KeySource | null;
}): VNode {
  const { kid, fingerprint, status, source } = props;
  return (
    <>
      {kid !== null && (
        <Fact name={T.kid} note={fingerprint === null ? T.kidUnproven : null}>
          <code>{kid}</code>
        </Fact>
      )}
      {fingerprint !== null && (
        <Fact name={T.keyFingerprint}>
          <Hash value={fingerprint} />
        </Fact>
      )}
      {status !== null && <Fact name={T.keyStatus}>{status}</Fact>}
      {kid !== null && (
        <Fact name={T.keySource}>
          {source === null ? (
            T.noKeys
          ) : (
            <>
              {`${T.sources[source.kind]}${source.where}${T.fetchedAt}`}
              <span class="when">{source.at}</span>
            </>
          )}
        </Fact>
      )}
      {kid !== null && source?.voucher !== undefined && (
        <>
          <Fact name={T.voucher} note={T.voucherNote}>
            <Hash value={source.voucher.rootFingerprint} />
          </Fact>
          <Fact name={T.knownUntil}>
            {source.voucher.revocationsKnownUntil}
            {source.voucher.notices.map(({ code }) => (
              <p key={code} class="note">
                {TEXTS.history.notices[code] ?? code}
              </p>
            ))}
          </Fact>
        </>
      )}
    </>
  );
}

function FactNotes({ check: { facts } }: { readonly check: CertificateCheck }): VNode | null {
  const notes = [
    ...(facts.isHashOnly ? [T.hashOnly] : []),
    ...(facts.isResealed ? [T.resealed] : []),
    ...(facts.relaxations.length > 0 ? [`${T.legacy}${facts.relaxations.join(', ')}`] : []),
    ...(facts.supplemental ? [T.supplemental] : []),
  ];
  if (notes.length === 0) return null;
  return (
    <ul class="notes">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}
