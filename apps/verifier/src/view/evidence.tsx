import type { VNode } from 'preact';
import type { HandCheck } from '../check/check-result.js';
import { hashCommand, signatureCommands } from './shell-commands.js';
import { CopyBlock } from './copy-block.js';
import { TEXTS } from './texts.js';

const T = TEXTS.evidence;

interface EvidenceProps {
  readonly handCheck: HandCheck;
  readonly cli: string;
  /** Is there content of which a canonical text could be shown? */
  readonly hasContent: boolean;
}

/** The exact bytes, and the commands that check this very record without our code. */
export function Evidence({ handCheck, cli, hasContent }: EvidenceProps): VNode {
  const { certificate, receipt } = handCheck;
  return (
    <details class="card evidence fold">
      <summary>
        <h2>{T.title}</h2>
      </summary>
      <p>{T.lead}</p>
      <CopyBlock id="cli" label={T.cli} text={cli} />
      {certificate === null ? (
        hasContent && <p class="note">{T.noCanonical}</p>
      ) : (
        <>
          <CopyBlock id="canonical" label={`${T.canonical} (${certificate.profile})`} text={certificate.text} />
          <CopyBlock
            id="hash-command"
            label={T.hashCommand}
            text={hashCommand(certificate.text)}
            note={T.hashCommandNote}
          />
        </>
      )}
      {receipt === null ? (
        <p class="note">{T.noReceipt}</p>
      ) : (
        <>
          <CopyBlock id="receipt" label={T.receipt} text={receipt.text} />
          <CopyBlock id="signature" label={T.signature} text={receipt.signature} />
          {receipt.publicKey !== null && (
            <>
              <CopyBlock id="public-key" label={T.publicKey} text={receipt.publicKey} />
              <CopyBlock
                id="signature-command"
                label={T.signatureCommand}
                text={signatureCommands(receipt)}
                note={T.signatureCommandNote}
              />
            </>
          )}
        </>
      )}
    </details>
  );
}
