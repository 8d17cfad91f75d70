import type { VNode } from 'preact';
import type { ArtefactCheck, CertificateFacts } from '../check/check-result.js';
import { TEXTS } from './texts.js';

const T = TEXTS.time;

type Time = Pick<CertificateFacts, 'timestamp' | 'keyRescue'>;

export function timeOf(check: ArtefactCheck): Time {
  return check.kind === 'project' ? check : check.facts;
}

/** Whether an authority that the visitor chose timestamped the receipt. */
export function hasExternalTime(check: ArtefactCheck): boolean {
  const { timestamp } = timeOf(check);
  return timestamp?.type === 'rfc3161' && timestamp.status === 'verified' && timestamp.covers === 'receipt';
}

/** The external timestamp, and whether its authority is trusted. */
export function ExternalTime({ timestamp, keyRescue }: Time): VNode {
  if (timestamp?.type !== 'rfc3161') return <>{T.noTimestamp}</>;
  const { status, genTime, provider, covers, detail } = timestamp;
  return (
    <div data-external-time={status}>
      {genTime !== undefined && (
        <>
          <b>{genTime}</b> {T.stampedBy} {provider}
          {'. '}
        </>
      )}
      <span class="note">
        {T.status[status]}
        {detail !== undefined && ` ${detail}.`} {covers !== undefined && T.covers[covers]}
      </span>
      {keyRescue !== null && (
        <p class="note">
          {T.rescue[keyRescue.before]} {keyRescue.limit}.
        </p>
      )}
    </div>
  );
}
