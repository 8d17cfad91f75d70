import { ok } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import { object, OK } from '../openapi/answer-shapes.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { Store } from '../store/index.js';
import { SETTINGS_MEMBERS } from '../tenants/settings-answer.js';
import { shownSources } from '../tenants/tenant-settings.js';

export interface OwnSettingsDeps {
  readonly store: Pick<Store, 'tenantSettings'>;
  readonly gate: Pick<Gate, 'admit' | 'callerOf'>;
}

/** What holds for the records of a tenant, for itself: an administrator may have set more than it did. */
export function ownSettingsRoute({ store, gate }: OwnSettingsDeps): DescribedRoute {
  return {
    method: 'GET',
    path: '/v1/settings',
    description: {
      group: 'Records',
      summary: "How the tenant's records are made, kept and shown",
      access: { scopes: ['audit', 'certify'] },
      success: {
        200: {
          schema: object({ ok: OK, ...SETTINGS_MEMBERS }),
          description: 'The effective settings, and their sources.',
        },
      },
    },
    admit: gate.admit('audit', 'certify'),
    handler: async (request) => {
      const stated = await store.tenantSettings.find(gate.callerOf(request).tenantId);
      return ok({ ok: true, ...shownSources(stated) }, { 'cache-control': 'no-store' });
    },
  };
}
