import type { VNode } from 'preact';
import type { HistoryEntryView, HistoryRootView, KeyHistoryCheck } from '../check/key-history-check.js';
import { Hash } from './copy-block.js';
import { Fact } from './fact.js';
import { Icon } from './icon.js';
import { TEXTS } from './texts.js';

const T = TEXTS.history;

/** A node that rotates daily fills a page in half a year; the rest is in the file. */
const SHOWN = 200;

/** A key history as it shows itself. Never green: only a root that the visitor pinned makes it worth something. */
export function KeyHistoryView({
  look,
  by,
}: {
  readonly look: KeyHistoryCheck;
  readonly by: 'server' | 'browser';
}): VNode {
  const { state, roots, entries } = look;
  return (
    <div data-history={state} data-checked-by={by}>
      <HistoryState look={look} by={by} />
      {roots.length > 0 && (
        <>
          <h3>{T.roots}</h3>
          <p class="note">{T.rootsLead}</p>
          <ul class="plain roots">
            {roots.map((root) => (
              <Root key={root.kid} root={root} />
            ))}
          </ul>
        </>
      )}
      {entries.length > 0 && (
        <>
          <h3>{T.entries}</h3>
          {entries.length > SHOWN && <p class="note">{T.newest}</p>}
          <ol class="history">
            {entries.slice(-SHOWN).map((entry) => (
              <Entry key={entry.seq} entry={entry} />
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

function HistoryState({ look: { state, fault, statement }, by }: Parameters<typeof KeyHistoryView>[0]): VNode {
  return (
    <>
      <div class={state === 'broken' ? 'layer layer-fail' : 'layer layer-skipped'}>
        <Icon name={state === 'broken' ? 'fail' : state === 'signed' ? 'neutral' : 'unknown'} />
        <div>
          <p>
            <b>{T.state[state]}</b>
          </p>
          {fault !== null && (
            <p class="layer-detail">
              {fault.member} {fault.detail} <code>{fault.code}</code>
            </p>
          )}
          {statement !== null && (
            <p>
              {T.knownUntil} <span class="when">{statement.issuedAt}</span>. {T.next}{' '}
              <span class="when">{statement.nextUpdate}</span>.
            </p>
          )}
          <p class="note">{by === 'server' ? TEXTS.checkedBy.server : TEXTS.checkedBy.browser}</p>
        </div>
      </div>
      {statement?.isOverdue === true && <p class="warning">{T.notices['KEY_HISTORY_OVERDUE']}</p>}
    </>
  );
}

function Root({ root }: { readonly root: HistoryRootView }): VNode {
  const { fingerprint, status, addedAt, endedAt, signsStatement } = root;
  return (
    <li class={`root root-${status}`}>
      <Hash value={fingerprint} />
      <span class="note">
        {T.rootStatus[status]}
        {signsStatement && `, ${T.signs}`}, {T.since} {addedAt}
        {endedAt !== null && `, ${T.ended} ${endedAt}`}
      </span>
    </li>
  );
}

function Entry({ entry }: { readonly entry: HistoryEntryView }): VNode {
  const { type, kid, fingerprint, effectiveAt, reason, compromisedSince, replaces, endorsedBy } = entry;
  const isRoot = type.startsWith('root-');
  return (
    <li value={entry.seq} data-change={type} class={type.endsWith('-revoked') ? 'entry revocation' : 'entry'}>
      <p>
        <b>{T.changes[type]}</b> {entry.isPending && <span class="warning-word">{T.pending}</span>}
      </p>
      <dl class="facts">
        <Fact name={isRoot ? T.root : TEXTS.facts.kid}>
          <code>{kid}</code>
        </Fact>
        {fingerprint !== null && (
          <Fact name={TEXTS.keys.fingerprint}>
            <Hash value={fingerprint} />
          </Fact>
        )}
        {effectiveAt !== null && <Fact name={T.effective[type] ?? T.from}>{effectiveAt}</Fact>}
        {reason !== null && <Fact name={TEXTS.keys.reason}>{T.reasons[reason] ?? reason}</Fact>}
        {compromisedSince !== null && <Fact name={TEXTS.keys.compromisedSince}>{compromisedSince}</Fact>}
        {replaces !== null && (
          <Fact name={T.replaces}>
            <code>{replaces}</code>
          </Fact>
        )}
        {isRoot && type !== 'root-revoked' && (
          <Fact name={T.endorsedBy}>{endorsedBy === null ? T.notEndorsed : <code>{endorsedBy}</code>}</Fact>
        )}
        <Fact name={T.enteredAt}>{entry.issuedAt}</Fact>
      </dl>
    </li>
  );
}
