import type { JsonObject } from '@cer/canonical-json';
import { checkRequest, ok, parseJsonBody, pathParam, ServiceError } from '@cer/http-service';
import type { AdminGate } from '../auth/admin-gate.js';
import type { AuditLog } from '../audit-log/audit-log.js';
import type { Store } from '../store/index.js';
import { SettingsChange, shownSources, shownStated, toStated } from '../tenants/tenant-settings.js';
import { object, OK, TEXT } from '../openapi/answer-shapes.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import { requestSchema } from '../openapi/request-schema.js';
import { SETTINGS_MEMBERS } from '../tenants/settings-answer.js';
import { AUDITED } from './record-answers.js';

export interface SettingsRouteDeps {
  readonly store: Pick<Store, 'tenantSettings'>;
  readonly adminGate: AdminGate;
  readonly auditLog: AuditLog;
}

const PATH = '/v1/admin/tenants/:tenant/settings';
const ANSWER = object({ ok: OK, tenantId: TEXT, ...SETTINGS_MEMBERS }, { auditSeq: AUDITED.auditSeq });

/** The effective settings of a tenant and their sources. @see docs/spec.md, "Retention" */
export function settingsRoutes({ store, adminGate, auditLog }: SettingsRouteDeps): DescribedRoute[] {
  const { admit } = adminGate;
  const known = async (tenantId: string): Promise<string> => {
    // Settings of a mistyped tenant would have no effect and go unnoticed.
    if (await store.tenantSettings.knows(tenantId)) return tenantId;
    throw new ServiceError({ code: 'NOT_FOUND', message: 'tenant: is not known to this node' });
  };
  return [
    {
      method: 'GET',
      path: PATH,
      description: {
        group: 'Administration',
        summary: 'How the records of a tenant are made, kept and shown',
        access: 'admin',
        success: { 200: { schema: ANSWER, description: 'The effective settings, and their sources.' } },
        errors: ['NOT_FOUND'],
      },
      admit,
      handler: async (request) => ok(await shownTenant(store, await known(pathParam(request, 'tenant')))),
    },
    {
      method: 'POST',
      path: PATH,
      description: {
        group: 'Administration',
        summary: 'Change how the records of a tenant are made, kept and shown',
        access: 'admin',
        body: { schema: requestSchema(SettingsChange) },
        success: { 200: { schema: ANSWER, description: 'What holds now.' } },
        errors: ['NOT_FOUND', 'ATTESTATION_ERROR'],
      },
      admit,
      mediaTypes: ['application/json'],
      handler: async (request) => {
        const change = toStated(checkRequest(SettingsChange, parseJsonBody(request)));
        const tenantId = await known(pathParam(request, 'tenant'));
        const { requestId } = request;
        const actor = adminGate.actorOf(request);
        const auditSeq = await changeSettings({ store, auditLog }, tenantId, change, { actor, requestId });
        return ok({ ...(await shownTenant(store, tenantId)), auditSeq });
      },
    },
  ];
}

/** Changes the administrator's settings of a tenant. @returns the seq of the audit entry, which is written first */
export async function changeSettings(
  { store, auditLog }: Pick<SettingsRouteDeps, 'store' | 'auditLog'>,
  tenantId: string,
  change: ReturnType<typeof toStated>,
  by: { readonly actor: string; readonly requestId: string | null },
): Promise<number> {
  const details = shownStated(change) ?? {};
  const auditSeq = await auditLog.append({ act: 'tenants.settings', target: tenantId, ...by, details });
  await store.tenantSettings.set(tenantId, 'node', change);
  return auditSeq;
}

/** The effective settings of a tenant, and each source's part. */
export async function shownTenant(
  { tenantSettings }: SettingsRouteDeps['store'],
  tenantId: string,
): Promise<JsonObject> {
  return { ok: true, tenantId, ...shownSources(await tenantSettings.find(tenantId)) };
}
