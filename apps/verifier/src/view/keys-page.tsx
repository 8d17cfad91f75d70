import type { VNode } from 'preact';
import type { KeyHistoryCheck } from '../check/key-history-check.js';
import type { KeyList, ListedKey } from '../check/key-list.js';
import { CopyBlock, Hash } from './copy-block.js';
import { Fact } from './fact.js';
import { KeyHistoryView } from './key-history-view.js';
import { TEXTS } from './texts.js';

const T = TEXTS.keys;
const H = TEXTS.history;

interface KeysPageProps {
  readonly list: KeyList | null;
  /** `none`: the node does not have this route; null: the node is unreachable. */
  readonly history: KeyHistoryCheck | 'none' | null;
  readonly keySetUrl: string;
  readonly historyUrl: string;
}

/** The node's keys as they are, and how they came to be. Its script reads the history again and lets a visitor pin a root. */
export function KeysPage({ list, history, keySetUrl, historyUrl }: KeysPageProps): VNode {
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
          <h2>{T.now}</h2>
          <ul class="key-list">
            {list.keys.map((key) => (
              <KeyCard key={key.kid} listed={key} />
            ))}
          </ul>
          <section class="card" aria-labelledby="history-title">
            <h2 id="history-title">{H.title}</h2>
            <p>{H.lead}</p>
            <div id="key-history">
              {history === null || history === 'none' ? (
                <p class="warning">{history === null ? H.unavailable : H.none}</p>
              ) : (
                <KeyHistoryView look={history} by="server" />
              )}
            </div>
          </section>
          <section class="card">
            <CopyBlock id="fingerprint-command" label={T.hint} text={FINGERPRINT_COMMAND} />
            <ul class="plain">
              <li>
                <a href={keySetUrl} rel="noreferrer">
                  {T.download}
                </a>
              </li>
              <li>
                <a href={historyUrl} rel="noreferrer">
                  {H.download}
                </a>
              </li>
            </ul>
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
    [
      T.reason,
      listed.revocationReason === null ? null : (H.reasons[listed.revocationReason] ?? listed.revocationReason),
    ],
  ] as const;
  return (
    <li class={`card key key-${listed.status}`}>
      <h3>
        <code>{listed.kid}</code> <span class="key-status">{T.status[listed.status]}</span>
        {listed.isActiveKid && listed.status === 'active' && <span class="note"> {T.signing}</span>}
      </h3>
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
