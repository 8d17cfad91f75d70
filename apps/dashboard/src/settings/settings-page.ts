import { PROTOCOLS, type TenantSettings } from '@cer/control-plane';
import { html } from '@cer/pages';
import { choiceField, faultSummary, formTokenField, linesField, selectField, textField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import type { PageAnswer } from '../web/page-answer.js';
import { confirmationField, type Confirmation } from './shorter-retention.js';
import { operatorNote, type OperatorSettings } from './operator-settings.js';

const PROTOCOL_LABELS = {
  '1.2.0': '1.2.0: accept all',
  '1.3.0': '1.3.0: RFC 8785',
  '1.3.1': '1.3.1: content sealed',
} as const;

export interface SettingsPage {
  readonly formToken: string;
  readonly settings: TenantSettings;
  readonly operator: OperatorSettings;
  /** Why the reader may not change them; null when they may. */
  readonly locked: 'not an owner' | 'suspended' | null;
  /** The refused input, if any. */
  readonly given?: URLSearchParams;
  readonly faults?: readonly FormFault[];
  /** What the input deletes, to be confirmed. */
  readonly deletion?: Confirmation | undefined;
  readonly notice?: string | undefined;
}

export function settingsPage(page: SettingsPage): PageAnswer {
  const { formToken, settings, operator, locked, given, faults, deletion, notice } = page;
  const { publish, minimumProtocol, retentionDays, visibility, legalHold } = settings;
  const names = typeof publish.metadata === 'string' ? '' : publish.metadata.join('\n');
  const metadata = given?.get('metadata') ?? (typeof publish.metadata === 'string' ? publish.metadata : 'names');
  const shown: readonly string[] =
    given?.getAll('publish') ??
    Object.entries(publish).flatMap(([part, published]) => (published === true ? [part] : []));
  const protocol = given?.get('minimumProtocol') ?? minimumProtocol;
  const look = given?.get('visibility') ?? visibility;
  const held = given === undefined ? legalHold : given.get('legalHold') === 'on';

  return {
    title: 'Settings',
    notice,
    body: html`<p class="lead">
        How your records are made, kept and shown. The days and the legal hold act on all records, other changes on new
        ones.
      </p>
      ${locked === 'not an owner' && html`<p class="notice">Only an owner can change these.</p>`}
      ${faultSummary(faults, deletion && 'There is something to confirm')} ${operatorNote(operator)}
      <form method="post" action="/settings" class="card">
        ${formTokenField(formToken)}
        <fieldset class="whole" ${locked !== null && html`disabled`} aria-label="Settings of the account">
          <h2>What the public sees</h2>
          ${choiceField(
            'radio',
            'visibility',
            'New records',
            [
              { value: 'public', label: 'Anyone with the hash can look them up', chosen: look === 'public' },
              { value: 'hidden', label: 'Hidden until you show them', chosen: look === 'hidden' },
            ],
            faults,
          )}
          ${choiceField('checkbox', 'publish', 'Published with a record', [
            {
              value: 'context',
              label: 'Context, its summary and policy evaluation',
              chosen: shown.includes('context'),
            },
            { value: 'prompt', label: 'Prompt', chosen: shown.includes('prompt') },
            { value: 'instruction', label: 'Instruction', chosen: shown.includes('instruction') },
          ])}
          ${choiceField('radio', 'metadata', 'Metadata', [
            { value: 'none', label: 'None', chosen: metadata === 'none' },
            { value: 'all', label: 'All of it', chosen: metadata === 'all' },
            { value: 'names', label: 'Only these names', chosen: metadata === 'names' },
          ])}
          ${linesField({
            name: 'metadata_names',
            label: 'Names of published metadata',
            hint: 'One a line; used with “Only these names”.',
            value: given?.get('metadata_names') ?? names,
            faults,
          })}
          <h2>How records are made and kept</h2>
          ${selectField(
            'minimumProtocol',
            'Weakest protocol',
            PROTOCOLS.map((value) => ({ value, label: PROTOCOL_LABELS[value], chosen: value === protocol })),
            'The evidence bridge refuses requests under a weaker one; the node itself takes all.',
          )}
          ${textField({
            name: 'retentionDays',
            label: 'Days to keep records',
            type: 'number',
            optional: true,
            hint: 'Empty: records are never deleted.',
            value: given?.get('retentionDays') ?? (retentionDays === null ? '' : String(retentionDays)),
            faults,
          })}
          ${deletion !== undefined && confirmationField(deletion, faults ?? [])}
          ${choiceField('checkbox', 'legalHold', 'Legal hold', [
            { value: 'on', label: 'Delete nothing, whatever the days above say', chosen: held },
          ])}
        </fieldset>
        ${locked === null && html`<button>Save the settings</button>`}
      </form>`,
  };
}
