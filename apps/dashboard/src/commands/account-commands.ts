import * as z from 'zod';
import { EmailAddress, PlainName } from '../account/person.js';
import { readLinkConfig } from '../config.js';
import { INVITATION_MS, issueLink } from '../links/one-time-link.js';
import { createPasswordHasher } from '../passwords/password-hash.js';
import { NewPassword } from '../passwords/password-rules.js';
import { checked, tenantNamed } from './checked.js';
import { COMMAND_LINE, CommandError, required, type Command } from './command.js';

const TenantId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, "-" or "_"' });

const DEFAULT_TENANT = 'Default';

export const createOwner: Command = {
  usage: '--email E [--name N] [--tenant NAME] [--password-stdin]',
  summary: 'make an owner, and the tenant where it is new; print a link for the password',
  options: {
    email: { type: 'string' },
    name: { type: 'string' },
    tenant: { type: 'string' },
    'password-stdin': { type: 'boolean' },
  },
  run: async (values, { env, print, readInput, withStore, now }) => {
    const email = checked(EmailAddress, 'email', required(values, 'email'));
    const name = checked(PlainName, 'name', typeof values['name'] === 'string' ? values['name'] : email);
    const given = values['tenant'];
    const tenantName = checked(PlainName, 'tenant', typeof given === 'string' ? given : DEFAULT_TENANT);
    const byPassword = values['password-stdin'] === true;
    const publicUrl = byPassword ? '' : readLinkConfig(env).PUBLIC_URL;
    const passwordHash = byPassword
      ? await createPasswordHasher().hash(checked(NewPassword, 'password-stdin', await readInput()))
      : null;

    await withStore(async (store) => {
      const taken = new CommandError('--email belongs to a user already');
      // Before the tenant is made, which would be left without anyone.
      if ((await store.users.findForLogin(email)) !== null) throw taken;
      const { tenantId } = await store.tenants.create({ name: tenantName }, COMMAND_LINE);
      const owner = { tenantId, email, name, role: 'owner', passwordHash } as const;
      const user = await store.users.add(owner, COMMAND_LINE);
      if (user === null) throw taken;
      if (byPassword) {
        print(`owner ${user.userId}`);
        return;
      }
      const link = issueLink(publicUrl, INVITATION_MS, now());
      await store.links.issuePasswordLink(tenantId, user.userId, link, COMMAND_LINE);
      print(link.url);
    });
  },
};

export const createTenant: Command = {
  usage: '--name NAME [--id ID]',
  summary: 'print the id of a tenant, which is made where it is new',
  options: { name: { type: 'string' }, id: { type: 'string' } },
  run: async (values, { print, withStore }) => {
    const name = checked(PlainName, 'name', required(values, 'name'));
    const id = typeof values['id'] === 'string' ? checked(TenantId, 'id', values['id']) : undefined;
    await withStore(async (store) => {
      const wanted = id === undefined ? { name } : { name, tenantId: id };
      const { tenantId } = await store.tenants.create(wanted, COMMAND_LINE);
      if (id !== undefined && tenantId !== id) throw new CommandError('--name belongs to a tenant with another id');
      print(tenantId);
    });
  },
};

const setStatus = (status: 'active' | 'suspended', summary: string): Command => ({
  usage: '--tenant NAME',
  summary,
  options: { tenant: { type: 'string' } },
  run: async (values, { print, withStore }) => {
    await withStore(async (store) => {
      const { tenantId } = await tenantNamed(store, required(values, 'tenant'));
      await store.tenants.setStatus(tenantId, status, COMMAND_LINE);
      print(status);
    });
  },
});

export const suspendAccount = setStatus('suspended', 'suspend an account');
export const resumeAccount = setStatus('active', 'resume a suspended account');
