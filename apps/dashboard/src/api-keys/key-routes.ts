import { pathParam, ServiceError, type RequestHead, type Route } from '@cer/http-service';
import { z } from 'zod';
import { issueApiKey, SCOPES } from '../account/api-key.js';
import { PlainName } from '../account/person.js';
import { keyWorks } from '../introspection/introspect.js';
import type { ApiKey, Store, Tenant } from '../store/index.js';
import { checkForm } from '../web/form.js';
import { noticeText } from '../web/notices.js';
import { mayChange, type Pages } from '../web/pages.js';
import { GRACE_PERIODS, keysPage, newKeyPage, revokePage, rotatePage } from './key-pages.js';

export interface KeyRoutesDeps {
  readonly pages: Pages;
  readonly store: Store;
  readonly now: () => Date;
}

const LABELS = { name: 'Name', scopes: 'What it may do' };
const KeyForm = z.object({
  name: PlainName,
  scopes: z.array(z.enum(SCOPES)).refine((scopes) => scopes.length > 0, { error: 'needs at least one choice' }),
});

const HOUR_MS = 60 * 60 * 1000;

/** API keys: shown once when they are made, and by their first characters after that. */
export function keyRoutes({ pages, store, now }: KeyRoutesDeps): readonly Route[] {
  const workingKey = async (tenant: Tenant, head: RequestHead): Promise<ApiKey> => {
    const keys = await store.apiKeys.list(tenant.tenantId);
    const key = keys.find(({ keyId }) => keyId === pathParam(head, 'keyId'));
    if (key === undefined || !keyWorks(key, now())) throw noSuchKey();
    return key;
  };

  return [
    pages.view('/keys', async ({ session, formToken, head }) =>
      keysPage({
        formToken,
        keys: await store.apiKeys.list(session.tenant.tenantId),
        mayChange: mayChange(session),
        now: now(),
        notice: noticeText(head.query),
      }),
    ),
    pages.act('/keys', 'owner', async ({ session, formToken }, fields) => {
      const { tenantId } = session.tenant;
      const given = { name: fields.get('name') ?? '', scopes: fields.getAll('scopes') };
      const form = checkForm(KeyForm, given, LABELS);
      if (!form.ok) {
        const keys = await store.apiKeys.list(tenantId);
        return {
          ...keysPage({ formToken, keys, mayChange: true, now: now(), given, faults: form.faults }),
          status: 422,
        };
      }
      const { key, ...kept } = issueApiKey();
      const { name, scopes } = form.value;
      await store.apiKeys.create({ tenantId, name, scopes: [...new Set(scopes)], ...kept }, session.user.email);
      return newKeyPage(name, key, null);
    }),
    pages.view('/keys/:keyId/rotate', async ({ session, formToken, head }) =>
      rotatePage(formToken, await workingKey(session.tenant, head)),
    ),
    pages.act('/keys/:keyId/rotate', 'owner', async ({ session, head }, fields) => {
      const grace = GRACE_PERIODS.find(({ hours }) => String(hours) === fields.get('grace_hours'));
      if (grace === undefined) throw new ServiceError({ code: 'VALIDATION_ERROR', message: 'Choose a grace period.' });
      const { key, ...kept } = issueApiKey();
      const oldExpiresAt = new Date(now().getTime() + grace.hours * HOUR_MS);
      const { tenantId } = session.tenant;
      const made = await store.apiKeys.rotate(
        tenantId,
        pathParam(head, 'keyId'),
        kept,
        oldExpiresAt,
        session.user.email,
      );
      if (made === null) throw noSuchKey();
      return newKeyPage(made.name, key, oldExpiresAt);
    }),
    pages.view('/keys/:keyId/revoke', async ({ session, formToken, head }) =>
      revokePage(formToken, await workingKey(session.tenant, head)),
    ),
    pages.act('/keys/:keyId/revoke', 'owner', async ({ session, head }) => {
      const revoked = await store.apiKeys.revoke(session.tenant.tenantId, pathParam(head, 'keyId'), session.user.email);
      if (!revoked) throw noSuchKey();
      return { goTo: '/keys?done=key-revoked' };
    }),
  ];
}

function noSuchKey(): ServiceError {
  return new ServiceError({ code: 'NOT_FOUND', message: 'There is no such working API key in this account.' });
}
