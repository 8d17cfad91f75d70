import type { VNode } from 'preact';
import type { KeyList, ListedKey } from '../check/key-list.js';
import { CopyBlock, Hash } from './copy-block.js';
import { Fact } from './facts.js';
import { TEXTS } from './texts.js';

const T = TEXTS.keys;

export function KeysPage({ list, keySetUrl }: { readonly list: KeyList | null; readonly keySetUrl: string }): VNode {
  return (
    <>
      <h1>{T.title}</h1>
      <p class="lead">{T.lead}</p>
      {list === null ? (
        <p class="card warning">{T.unavailable}</p>
      ) : (
        <>
          <p>
            {TEXTS.facts.nodeId}: <b>{list.nodeId}</b>
          </p>
          <ul class="key-list">
            {list.keys.map((key) => (
              <KeyCard key={key.kid} listed={key} />
            ))}
          </ul>
          <p>
            <a href={keySetUrl} rel="noreferrer">
              {T.download}
            </a>
          </p>
          <section class="card">
            <CopyBlock id="fingerprint-command" label={T.hint} text={FINGERPRINT_COMMAND} />
          </section>
        </>
      )}
    </>
  );
}

const FINGERPRINT_COMMAND = `printf '%s' 'PUBLIC KEY' | base64 -d | sha256sum`;

function KeyCard({ listed }: { readonly listed: ListedKey }): VNode {
  const times = [
    [T.from, listed.notBefore],
    [T.until, listed.retiredAt],
    [T.revokedAt, listed.revokedAt],
    [T.compromisedSince, listed.compromisedSince],
    [T.reason, listed.revocationReason],
  ] as const;
  return (
    <li class={`card key key-${listed.status}`}>
      <h2>
        <code>{listed.kid}</code> <span class="key-status">{T.status[listed.status]}</span>
        {listed.isActiveKid && listed.status === 'active' && <span class="note"> {T.signing}</span>}
      </h2>
      <dl class="facts">
        {listed.fingerprint !== null && (
          <Fact name={T.fingerprint}>
            <Hash value={listed.fingerprint} />
          </Fact>
        )}
        {listed.publicKey !== null && (
          <Fact name={TEXTS.evidence.publicKey}>
            <Hash value={listed.publicKey} />
          </Fact>
        )}
        {listed.fault !== null && <Fact name={T.unusable}>{listed.fault}</Fact>}
        {times.map(([name, value]) =>
          value === null ? null : (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ),
        )}
      </dl>
    </li>
  );
}
