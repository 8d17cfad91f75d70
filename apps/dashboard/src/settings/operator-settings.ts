import type { Logger } from '@cer/http-service/process';
import { html, type Html } from '@cer/pages';
import { answerOr } from '../records/ask-node.js';
import type { NodeRecords, StatedByOperator } from '../records/node-records.js';

/** Settings of the node's operator for an account; null without any. */
export type OperatorSettings = StatedByOperator | null | 'not known';

/** Asks the node. Does not throw when it gives no answer: the settings of the account can be changed without it. */
export async function operatorSettingsOf(
  nodeRecords: Pick<NodeRecords, 'operatorSettings'>,
  tenantId: string,
  logger: Logger,
): Promise<OperatorSettings> {
  const ask = (): Promise<OperatorSettings> => nodeRecords.operatorSettings(tenantId);
  return answerOr('not known', ask, { tenantId, logger });
}

/** What holds whatever the account sets. @see docs/spec.md, "Retention" */
export function operatorNote(settings: OperatorSettings): Html | false {
  if (settings === 'not known') {
    return html`<p class="notice">
      The attestation node gave no answer. Its operator may have set other values, which have precedence. Reload the
      page in a minute. If this stays, ask the operator of this service: the log of the dashboard has the reason.
    </p>`;
  }
  const lines = settings === null ? [] : linesOf(settings);
  return (
    lines.length > 0 &&
    html`<section class="notice" aria-labelledby="operator">
      <h2 id="operator">Set by the operator of the node</h2>
      <p>These apply whatever is set below:</p>
      <ul>
        ${lines.map((line) => html`<li>${line}</li>`)}
      </ul>
    </section>`
  );
}

function linesOf({ visibility, publish, retentionDays, legalHold }: StatedByOperator): readonly string[] {
  const { metadata, ...parts } = publish ?? {};
  return [
    ...(visibility === null ? [] : [`New records: ${visibility}`]),
    ...Object.entries(parts).flatMap(([part, isPublished]) =>
      isPublished === undefined ? [] : [`Published with a record: ${isPublished ? '' : 'no '}${part}`],
    ),
    ...(metadata === undefined ? [] : [`Metadata: ${typeof metadata === 'string' ? metadata : metadata.join(', ')}`]),
    ...(retentionDays === null ? [] : [`Days to keep records: ${String(retentionDays)}`]),
    ...(legalHold === true ? ['Legal hold: nothing is deleted'] : []),
  ];
}
