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

/** A deletion by a change of settings, which a person confirms. */
export interface Confirmation {
  /** What the form sends when it is confirmed. */
  readonly decision: string;
  /** The age of the deleted records, in words. */
  readonly age: string;
  readonly sentence: string;
}

/** The settings of an account, and those of the node's operator for it. */
export interface SettingsChange {
  readonly before: TenantSettings;
  readonly after: TenantSettings;
  /** Their days act once a hold of the account ends. */
  readonly operator: OperatorSettings;
}

export interface RecordCounting {
  readonly nodeRecords: Pick<NodeRecords, 'count'>;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** What a change of settings deletes at the next sweep of the node; null for nothing. */
export async function deletionBy(
  { before, after, operator }: SettingsChange,
  tenantId: string,
  { nodeRecords, now, logger }: RecordCounting,
): Promise<Confirmation | null> {
  if (operator === 'not known' && before.legalHold && !after.legalHold) return deletionByOperator(after.retentionDays);
  const days = daysKept(after, operator);
  if (days >= daysKept(before, operator)) return null;
  const query = new URLSearchParams({ attested_to: new Date(now().getTime() - days * DAY_MS).toISOString() });
  const records = await answerOr(null, () => nodeRecords.count(tenantId, query), { tenantId, logger });
  return records?.count === 0 ? null : deletionAfter(days, records);
}

/** A hold of the operator may end without the account, whose own days are confirmed before. */
function daysKept({ retentionDays, legalHold }: TenantSettings, operator: OperatorSettings): number {
  if (legalHold) return Number.POSITIVE_INFINITY;
  const others = operator === 'not known' || operator?.legalHold === true ? null : operator?.retentionDays;
  return Math.min(retentionDays ?? Number.POSITIVE_INFINITY, others ?? Number.POSITIVE_INFINITY);
}

/** @param records those of that age now; null: not known */
function deletionAfter(days: number, records: RecordCount | null): Confirmation {
  const age = counted(days, 'day');
  const which =
    records === null ? `Records that are ${age} or older` : `${countText(records)} of this account, ${age} or older,`;
  return { decision: String(days), age, sentence: `${which} will be deleted for good. Confirm it.` };
}

/**
 * Records whose age is not known, since the node did not state the days of its operator.
 * @param ownDays those of the account, which act too; null for none
 */
function deletionByOperator(ownDays: number | null): Confirmation {
  const own = ownDays === null ? null : counted(ownDays, 'day');
  const unknown = 'the days that the operator of the node has set';
  return {
    decision: ownDays === null ? 'unknown' : `unknown or ${ownDays}`,
    age: own === null ? unknown : `${own} or ${unknown}`,
    sentence: `The attestation node gave no answer, and its operator may have set how long records are kept: without the legal hold, records older than that${own === null ? '' : `, or after ${own},`} will be deleted for good. Confirm it, or try again in a minute.`,
  };
}

export function unconfirmed({ sentence }: Confirmation): FormFault {
  return { field: CONFIRMED_DAYS, sentence };
}

export function confirmationField({ decision, age }: Confirmation, faults: readonly FormFault[]): Html {
  const label = `Delete records ${age} after their first attestation`;
  return html`${choiceField('checkbox', CONFIRMED_DAYS, 'Deleting records', [{ value: decision, label, chosen: false }], faults)}`;
}
