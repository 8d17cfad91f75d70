import { TenantSettings } from '@cer/control-plane';
import { ServiceError } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { NodeRecords } from '../records/node-records.js';
import type { Store } from '../store/index.js';
import { checkForm, type FormFault } from '../web/form.js';
import { noticeText } from '../web/notices.js';
import type { PageAnswer } from '../web/page-answer.js';
import type { Pages } from '../web/pages.js';
import { operatorSettingsOf } from './operator-settings.js';
import { settingsPage } from './settings-page.js';
import { CONFIRMED_DAYS, deletionBy, unconfirmed, type Confirmation } from './shorter-retention.js';

const LABELS = {
  metadata_names: 'Names of published metadata',
  minimumProtocol: 'Weakest protocol',
  retentionDays: 'Days to keep records',
  visibility: 'New records',
};

/** The settings with which an account's records are made, kept and shown. */
export function settingsRoutes({
  pages,
  store,
  nodeRecords,
  now,
  logger,
}: {
  readonly pages: Pages;
  readonly store: Store;
  readonly nodeRecords: Pick<NodeRecords, 'count' | 'operatorSettings'>;
  readonly now: () => Date;
  readonly logger: Logger;
}): readonly DescribedRoute[] {
  return [
    pages.view('/settings', 'Settings of the account', async ({ session, formToken, head }) =>
      settingsPage({
        formToken,
        settings: session.tenant.settings,
        operator: await operatorSettingsOf(nodeRecords, session.tenant.tenantId, logger),
        locked:
          session.tenant.status === 'suspended' ? 'suspended' : session.user.role === 'owner' ? null : 'not an owner',
        notice: noticeText(head.query),
      }),
    ),
    pages.act(
      '/settings',
      'owner',
      {
        summary: 'Change the settings of the account',
        fields: [
          'publish',
          'metadata',
          'metadata_names',
          'minimumProtocol',
          'retentionDays',
          'visibility',
          'legalHold',
          CONFIRMED_DAYS,
        ],
      },
      async ({ session, formToken }, fields) => {
        const form = checkForm(TenantSettings, settingsFrom(fields), LABELS);
        const { settings: before, tenantId } = session.tenant;
        const operator = await operatorSettingsOf(nodeRecords, tenantId, logger);
        const again = (faults: readonly FormFault[], deletion?: Confirmation): PageAnswer => {
          const refused = { given: fields, faults, deletion };
          return { ...settingsPage({ formToken, settings: before, operator, locked: null, ...refused }), status: 422 };
        };
        if (!form.ok) {
          const faults = form.faults.map((fault) =>
            fault.field === 'publish'
              ? { field: 'metadata_names', sentence: 'Names of published metadata must be 1 to 50 names, one a line.' }
              : fault,
          );
          return again(faults);
        }
        const after = form.value;
        const deletion = await deletionBy({ before, after, operator }, tenantId, { nodeRecords, now, logger });
        if (deletion !== null && fields.get(CONFIRMED_DAYS) !== deletion.decision) {
          return again([unconfirmed(deletion)], deletion);
        }
        if (!(await store.tenants.setSettings(tenantId, after, session.user.email, before))) throw changedElsewhere();
        const isRetention = after.retentionDays !== before.retentionDays || after.legalHold !== before.legalHold;
        return { goTo: `/settings?done=${isRetention ? 'retention-saved' : 'settings-saved'}` };
      },
    ),
  ];
}

/** What is deleted was judged by other settings. */
function changedElsewhere(): ServiceError {
  const message = 'The settings have just been changed elsewhere: go back, reload the page and save them again.';
  return new ServiceError({ code: 'VALIDATION_ERROR', message });
}

/** `Number` alone also reads 0x10 and 1e2. */
const digits = /^\d+$/;

/** The settings in a form, not validated yet. */
function settingsFrom(fields: URLSearchParams): unknown {
  const published = fields.getAll('publish');
  const metadata = fields.get('metadata');
  const days = fields.get('retentionDays')?.trim() ?? '';
  return {
    publish: {
      context: published.includes('context'),
      prompt: published.includes('prompt'),
      instruction: published.includes('instruction'),
      metadata: metadata === 'names' ? namesIn(fields.get('metadata_names') ?? '') : metadata,
    },
    minimumProtocol: fields.get('minimumProtocol'),
    retentionDays: days === '' ? null : digits.test(days) ? Number(days) : Number.NaN,
    visibility: fields.get('visibility'),
    legalHold: fields.get('legalHold') === 'on',
  };
}

function namesIn(lines: string): string[] {
  const names = lines.split(/\r?\n/).map((line) => line.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}
