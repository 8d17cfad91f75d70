import { pathParam, ServiceError, type RequestHead } from '@cer/http-service';
import * as z from 'zod';
import { EmailAddress, PlainName } from '../account/person.js';
import { ROLES } from '../account/role.js';
import { passwordsAreOff } from '../auth/refusals.js';
import { INVITATION_MS, issueLink } from '../links/one-time-link.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { Session, Store, Tenant, UsedChallenge, User } from '../store/index.js';
import { checkForm } from '../web/form.js';
import { AFTER, listPage, type ListPage } from '../web/list-page.js';
import { noticeText } from '../web/notices.js';
import { mayChange, type Pages } from '../web/pages.js';
import { FORM_ID, makeOnce, sentForm } from '../web/sent-once.js';
import { linkPage, usersPage } from './user-pages.js';

export interface UserRoutesDeps {
  readonly pages: Pages;
  readonly store: Store;
  readonly publicUrl: string;
  readonly now: () => Date;
  /** False: people are added by the sign-in provider. */
  readonly hasPassword: boolean;
}

const LABELS = { name: 'Name', email: 'E-mail address', role: 'Role' };
const UserForm = z.object({ name: PlainName, email: EmailAddress, role: z.enum(ROLES) });

/** The people of an account. */
export function userRoutes({ pages, store, publicUrl, now, hasPassword }: UserRoutesDeps): readonly DescribedRoute[] {
  const invite = async (tenantId: string, userId: string, actor: string, form?: UsedChallenge) => {
    const link = issueLink(publicUrl, INVITATION_MS, now());
    const user = await store.users.find(tenantId, userId);
    if (user === null || !(await store.links.issuePasswordLink(tenantId, userId, link, actor, form)))
      throw noSuchUser();
    return linkPage(user, link);
  };
  const setEnabled = async ({ tenant, user }: Session, userId: string, enabled: boolean): Promise<void> => {
    const outcome = await store.users.setEnabled(tenant.tenantId, userId, enabled, user.email);
    if (outcome === 'unknown') throw noSuchUser();
    if (outcome === 'actor disabled') {
      throw new ServiceError({ code: 'FORBIDDEN', message: 'Another owner has just disabled you.' });
    }
  };

  const usersOf = ({ tenantId }: Tenant, head: RequestHead): Promise<ListPage<User>> =>
    listPage(
      head,
      (after, limit) => store.users.list(tenantId, after, limit),
      ({ userId }) => userId,
    );

  return [
    pages.view('/users', { summary: 'Users of the account', query: [AFTER] }, async ({ session, formToken, head }) =>
      usersPage({
        formToken,
        users: await usersOf(session.tenant, head),
        self: session.user,
        mayChange: mayChange(session),
        notice: noticeText(head.query),
      }),
    ),
    pages.act(
      '/users',
      'owner',
      { summary: 'Add a user', fields: ['name', 'email', 'role'] },
      async ({ session, formToken, head }, fields) => {
        if (!hasPassword) throw passwordsAreOff();
        const { tenantId } = session.tenant;
        const form = checkForm(UserForm, Object.fromEntries(fields), LABELS);
        const added = form.ok
          ? await store.users.add({ tenantId, ...form.value, passwordHash: null }, session.user.email)
          : null;
        if (added !== null) return invite(tenantId, added.userId, session.user.email);
        const faults = form.ok
          ? [{ field: 'email', sentence: 'E-mail address belongs to a user already.' }]
          : form.faults;
        const users = await usersOf(session.tenant, head);
        return {
          ...usersPage({ formToken, users, self: session.user, mayChange: true, given: fields, faults }),
          status: 422,
        };
      },
    ),
    pages.act(
      '/users/:userId/link',
      'owner',
      { summary: 'Issue a link for choosing a password', fields: [FORM_ID] },
      async ({ session: { tenant, user }, head }, fields) => {
        if (!hasPassword) throw passwordsAreOff();
        return makeOnce(
          () => invite(tenant.tenantId, pathParam(head, 'userId'), user.email, sentForm(fields, now())),
          'made one link, which was shown then. If you have not copied it, make a new one on the page "Users".',
        );
      },
    ),
    pages.act('/users/:userId/disable', 'owner', 'Disable a user', async ({ session, head }) => {
      const userId = pathParam(head, 'userId');
      if (userId === session.user.userId) {
        throw new ServiceError({ code: 'FORBIDDEN', message: 'You cannot disable yourself: another owner can.' });
      }
      await setEnabled(session, userId, false);
      return { goTo: '/users?done=user-disabled' };
    }),
    pages.act(
      '/users/:userId/reset-sign-in',
      'owner',
      'Remove the passkeys and the authenticator app of a user',
      async ({ session, head }) => {
        const userId = pathParam(head, 'userId');
        if (userId === session.user.userId) {
          throw new ServiceError({ code: 'FORBIDDEN', message: 'Change your own sign-in on the page "Your sign-in".' });
        }
        const user = await store.users.find(session.tenant.tenantId, userId);
        if (user === null) throw noSuchUser();
        await store.signInWays.reset(user, session.user.email);
        return { goTo: '/users?done=sign-in-reset' };
      },
    ),
    pages.act('/users/:userId/enable', 'owner', 'Enable a user', async ({ session, head }) => {
      const userId = pathParam(head, 'userId');
      await setEnabled(session, userId, true);
      return { goTo: '/users?done=user-enabled' };
    }),
  ];
}

function noSuchUser(): ServiceError {
  return new ServiceError({ code: 'NOT_FOUND', message: 'There is no such user in this account, or it is disabled.' });
}
