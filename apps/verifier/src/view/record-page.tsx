import type { VNode } from 'preact';
import type { ArtefactCheck } from '../check/check-result.js';
import type { Outcome } from '../check/headline.js';
import { ArtefactView } from './artefact-view.js';
import { Hash } from './copy-block.js';
import { EMBED_SIZE, embedCode } from './embed-code.js';
import { recordPath } from './record-path.js';
import { Share } from './share.js';
import { TEXTS } from './texts.js';
import { CheckedBy, TrustNote, Verdict } from './verdict.js';

export interface RecordPageProps {
  readonly kind: 'certificate' | 'project';
  readonly hash: string;
  readonly outcome: Outcome;
  readonly check: ArtefactCheck | null;
  readonly publicUrl: string;
  readonly publicNodeUrl: string;
}

/** The page of a certificate or project as the server sees it. Its script replaces `#verdict` and `#details`. */
export function RecordPage(props: RecordPageProps): VNode {
  const { kind, hash, outcome, check, publicUrl, publicNodeUrl } = props;
  const cli = cliCommand(kind, hash, publicNodeUrl);
  const path = recordPath(kind, hash);
  return (
    <>
      <h1 class="record-title">
        {kind === 'project' ? TEXTS.facts.projectHash : TEXTS.facts.certificateHash} <Hash value={hash} />
      </h1>
      <div id="verdict">
        <Verdict outcome={outcome} by="server">
          <CheckedBy lines={[[TEXTS.checkedBy.server, '']]} />
          <noscript>
            <p class="note">{TEXTS.site.noScript}</p>
          </noscript>
        </Verdict>
      </div>
      <TrustNote />
      <div id="details">{check !== null && <ArtefactView check={check} cli={cli} stepLink />}</div>
      {check !== null && (
        <Share
          kind={kind}
          path={path}
          publicUrl={publicUrl}
          embedCode={embedCode({ kind, hash, publicUrl }, EMBED_SIZE)}
          recordUrl={recordUrl(kind, hash, publicNodeUrl)}
          isRedrawable={check.kind === 'certificate' && check.isRedrawable}
          badge={kind === 'certificate' ? `/badge/${encodeURIComponent(hash)}.svg` : null}
        />
      )}
      {check !== null && <div id="record-tools" />}
    </>
  );
}

/** The node's public route for a record. */
export function recordUrl(kind: 'certificate' | 'project', hash: string, nodeUrl: string): string {
  return kind === 'project'
    ? `${nodeUrl}/v1/project-bundle/public?project_hash=${encodeURIComponent(hash)}`
    : `${nodeUrl}/v1/cer/public?certificate_hash=${encodeURIComponent(hash)}`;
}

/** Ways to check the same record without this page. */
export function cliCommand(kind: 'certificate' | 'project', hash: string, nodeUrl: string): string {
  const verify = kind === 'project' ? 'cer verify-project' : 'cer verify';
  return `curl -s '${recordUrl(kind, hash, nodeUrl)}' | ${verify} - --keys ${nodeUrl}`;
}
