import type { TenantSettings } from '@cer/control-plane';
import { counted } from '@cer/cer-core/wording';
import type { Logger } from '@cer/http-service/process';
import { html, type Html } from '@cer/pages';
import { answerOr } from '../records/ask-node.js';
import { countText } from '../records/export-pages.js';
import type { NodeRecords, RecordCount } from '../records/node-records.js';
import { choiceField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import type { OperatorSettings } from './operator-settings.js';

/** The number of days for which deleting is confirmed: another number is another decision. */
export const CONFIRMED_DAYS = 'confirmed_days';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Records that settings delete, which the ones before keep. */
export interface Deletion {
  /** Null: those of the operator alone, which are not known. */
  readonly days: number | null;
  readonly isOperatorKnown: boolean;
  /** Records of that age now; null: not known. */
  readonly records: RecordCount | null;
}

export interface RecordCounting {
  readonly nodeRecords: Pick<NodeRecords, 'count'>;
  readonly now: () => Date;
  readonly logger: Logger;
}

/**
 * What a change of settings deletes at the next sweep of the node; null for nothing.
 * @param operator whose days act once a hold of the account ends
 */
export async function deletionBy(
  after: TenantSettings,
  before: TenantSettings,
  operator: OperatorSettings,
  tenantId: string,
  { nodeRecords, now, logger }: RecordCounting,
): Promise<Deletion | null> {
  if (operator === 'not known' && before.legalHold && !after.legalHold) {
    return { days: after.retentionDays, isOperatorKnown: false, records: null };
  }
  const days = daysKept(after, operator);
  if (days >= daysKept(before, operator)) return null;
  const query = new URLSearchParams({ attested_to: new Date(now().getTime() - days * DAY_MS).toISOString() });
  const records = await answerOr(null, () => nodeRecords.count(tenantId, query), { tenantId, logger });
  return records?.count === 0 ? null : { days, isOperatorKnown: true, records };
}

/** A hold of the operator may end without the account, whose own days are confirmed before. */
function daysKept({ retentionDays, legalHold }: TenantSettings, operator: OperatorSettings): number {
  if (legalHold) return Number.POSITIVE_INFINITY;
  const others = operator === 'not known' || operator?.legalHold === true ? null : operator?.retentionDays;
  return Math.min(retentionDays ?? Number.POSITIVE_INFINITY, others ?? Number.POSITIVE_INFINITY);
}

/** What a confirmation of the deletion names. */
export function decisionOn({ days, isOperatorKnown }: Deletion): string {
  if (isOperatorKnown) return String(days);
  return days === null ? 'unknown' : `unknown or ${days}`;
}

export function unconfirmed({ days, isOperatorKnown, records }: Deletion): FormFault {
  if (days === null || !isOperatorKnown) {
    const own = days === null ? '' : `, or after ${counted(days, 'day')},`;
    return {
      field: CONFIRMED_DAYS,
      sentence: `The attestation node gave no answer, and its operator may have set how long records are kept: without the legal hold, records older than that${own} will be deleted for good. Confirm it, or try again in a minute.`,
    };
  }
  const which = `${counted(days, 'day')} or older`;
  return {
    field: CONFIRMED_DAYS,
    sentence:
      records === null
        ? `Records that are ${which} will be deleted for good. Confirm it.`
        : `${countText(records)} of this account, ${which}, will be deleted for good. Confirm it.`,
  };
}

export function confirmationField(deletion: Deletion, faults: readonly FormFault[]): Html {
  const { days, isOperatorKnown } = deletion;
  const after = [
    ...(days === null ? [] : [counted(days, 'day')]),
    ...(isOperatorKnown ? [] : ['the days that the operator of the node has set']),
  ];
  const label = `Delete records ${after.join(' or ')} after their first attestation`;
  return html`${choiceField('checkbox', CONFIRMED_DAYS, 'Deleting records', [{ value: decisionOn(deletion), label, chosen: false }], faults)}`;
}
