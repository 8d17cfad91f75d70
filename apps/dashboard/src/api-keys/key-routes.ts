import { SCOPES } from '@cer/control-plane';
import { pathParam, ServiceError, type RequestHead } from '@cer/http-service';
import * as z from 'zod';
import { issueApiKey } from '../account/api-key.js';
import { PlainName } from '../account/person.js';
import { keyWorks } from '../introspection/introspect.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { ApiKey, Store, Tenant } from '../store/index.js';
import { checkForm } from '../web/form.js';
import { graceHoursOf } from '../web/grace-periods.js';
import { AFTER, listPage, type ListPage } from '../web/list-page.js';
import { noticeText } from '../web/notices.js';
import { mayChange, type Pages } from '../web/pages.js';
import { makeOnce, newIdOf } from '../web/sent-once.js';
import { KEY_ID, keysPage, newKeyPage, revokePage, rotatePage } from './key-pages.js';

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
export function keyRoutes({ pages, store, now }: KeyRoutesDeps): readonly DescribedRoute[] {
  const workingKey = async (tenant: Tenant, head: RequestHead): Promise<ApiKey> => {
    const key = await store.apiKeys.find(tenant.tenantId, pathParam(head, 'keyId'));
    if (key === null || !keyWorks(key, now())) throw noSuchKey();
    return key;
  };

  const keysOf = (tenant: Tenant, head: RequestHead): Promise<ListPage<ApiKey>> =>
    listPage(
      head,
      (after, limit) => store.apiKeys.list(tenant.tenantId, after, limit),
      ({ keyId }) => keyId,
    );

  return [
    pages.view('/keys', { summary: 'API keys', query: [AFTER] }, async ({ session, formToken, head }) =>
      keysPage({
        formToken,
        keys: await keysOf(session.tenant, head),
        mayChange: mayChange(session),
        now: now(),
        notice: noticeText(head.query),
      }),
    ),
    pages.act(
      '/keys',
      'owner',
      { summary: 'Make an API key', fields: ['name', 'scopes', KEY_ID] },
      async ({ session, formToken, head }, fields) => {
        const { tenantId } = session.tenant;
        const given = { name: fields.get('name') ?? '', scopes: fields.getAll('scopes') };
        const form = checkForm(KeyForm, given, LABELS);
        if (!form.ok) {
          const keys = await keysOf(session.tenant, head);
          return {
            ...keysPage({ formToken, keys, mayChange: true, now: now(), given, faults: form.faults }),
            status: 422,
          };
        }
        const { key, ...kept } = issueApiKey();
        const { name, scopes } = form.value;
        const keyId = newIdOf(fields, KEY_ID);
        await makeOnce(
          () =>
            store.apiKeys.create({ tenantId, name, scopes: [...new Set(scopes)], keyId, ...kept }, session.user.email),
          'made one key, which was shown then. If you have not copied it, rotate it on the page "API keys".',
          async () => keyId !== undefined && (await store.apiKeys.find(tenantId, keyId)) !== null,
        );
        return newKeyPage(name, key, null);
      },
    ),
    pages.view('/keys/:keyId/rotate', 'The form that rotates a key', async ({ session, formToken, head }) =>
      rotatePage(formToken, await workingKey(session.tenant, head)),
    ),
    pages.act(
      '/keys/:keyId/rotate',
      'owner',
      { summary: 'Rotate a key', fields: ['grace_hours'] },
      async ({ session, head }, fields) => {
        const graceHours = graceHoursOf(fields, 'Choose a grace period.');
        const { key, ...kept } = issueApiKey();
        const oldExpiresAt = new Date(now().getTime() + graceHours * HOUR_MS);
        const { tenantId } = session.tenant;
        const keyId = pathParam(head, 'keyId');
        const made = await store.apiKeys.rotate(tenantId, keyId, kept, oldExpiresAt, session.user.email);
        if (made === null) {
          const old = await store.apiKeys.find(tenantId, keyId);
          throw old?.expiresAt == null ? noSuchKey() : rotatedBefore();
        }
        return newKeyPage(made.name, key, oldExpiresAt);
      },
    ),
    pages.view('/keys/:keyId/revoke', 'The form that revokes a key', async ({ session, formToken, head }) =>
      revokePage(formToken, await workingKey(session.tenant, head)),
    ),
    pages.act('/keys/:keyId/revoke', 'owner', 'Revoke a key', async ({ session, head }) => {
      const revoked = await store.apiKeys.revoke(session.tenant.tenantId, pathParam(head, 'keyId'), session.user.email);
      if (!revoked) throw noSuchKey();
      return { goTo: '/keys?done=key-revoked' };
    }),
  ];
}

/** The form may have been sent twice, and the browser shows the last answer only. */
function rotatedBefore(): ServiceError {
  return new ServiceError({
    code: 'NOT_FOUND',
    message:
      'This key was rotated before, and its new key was shown then. If you have not copied that, rotate it on the page "API keys".',
  });
}

function noSuchKey(): ServiceError {
  return new ServiceError({ code: 'NOT_FOUND', message: 'There is no such working API key in this account.' });
}
