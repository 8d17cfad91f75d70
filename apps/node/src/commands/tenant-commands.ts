import { signingOn } from './with-signing.js';
import { createAuditLog } from '../audit-log/audit-log.js';
import { loadNodeConfig, type NodeConfig } from '../start/config.js';
import { StartupError } from '../errors/startup-error.js';
import type { Store } from '../store/index.js';
import { changeSettings, shownTenant } from '../admin/settings-routes.js';
import { SettingsChange, toStated } from '../tenants/tenant-settings.js';
import { optionsOf, UsageError, withStore, type Command } from './command.js';

const OPTIONS = ['name', 'id', 'retention-days', 'visibility', 'legal-hold', 'publish'] as const;

type Change = ReturnType<typeof toStated>;

/** A parsed command: a tenant by name or id, and the changes. */
interface Asked {
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly change: Change;
}

export const tenantCreateCommand: Command = {
  name: 'tenant create',
  usage: [['tenant create --name NAME', "print the tenant's id; made when there is none of that name"]],
  takesArguments: true,
  run: async (args, env) => {
    const { name } = optionsOf(args, ['name']);
    if (name === undefined || name.trim() === '') throw new UsageError('--name is required');
    return withStore(env, async ({ tenants }) => (await tenants.createTenant(name)).tenantId);
  },
};

export const tenantShowCommand: Command = {
  name: 'tenant show',
  usage: [['tenant show --name NAME | --id ID', "print the tenant's settings"]],
  takesArguments: true,
  run: async (args, env) => {
    const asked = parseTenantArgs(args);
    if (Object.keys(asked.change).length > 0) throw new UsageError('tenant show changes nothing');
    return withStore(env, async (store) => shown(store, await tenantIdOf(store, asked)));
  },
};

/**
 * Changes the settings of a tenant, as the admin routes do, on the node's own database and with its own keys: the audit
 * log is signed.
 * @see docs/spec.md, "Retention"
 */
export const tenantSetCommand: Command = {
  name: 'tenant set',
  usage: [
    ['tenant set --name NAME | --id ID', 'change them, and print them'],
    ['               --retention-days N|none', 'delete records when they are older'],
    ['               --visibility public|hidden|default', ''],
    ['               --legal-hold on|off', 'while on, nothing of the tenant is deleted'],
    ['               --publish JSON|default', 'for example {"prompt":true,"metadata":["team"]}'],
  ],
  takesArguments: true,
  run: async (args, env) => {
    const asked = parseTenantArgs(args);
    if (Object.keys(asked.change).length === 0) throw new UsageError('there is nothing to set');
    return withStore(env, async (store) => {
      const tenantId = await tenantIdOf(store, asked);
      await changeAsNode(loadNodeConfig(env), store, tenantId, asked.change);
      return shown(store, tenantId);
    });
  },
};

/** JSON, the same as the admin route answers. */
async function shown(store: Store, tenantId: string): Promise<string> {
  return JSON.stringify(await shownTenant(store, tenantId), null, 2);
}

async function tenantIdOf(store: Store, { name, id }: Asked): Promise<string> {
  if (id !== undefined && (await store.tenantSettings.knows(id))) return id;
  const found = name === undefined ? null : await store.tenants.findTenant(name);
  if (found !== null) return found.tenantId;
  throw new StartupError('there is no such tenant on this node; `tenant create` makes one');
}

async function changeAsNode(config: NodeConfig, store: Store, tenantId: string, change: Change): Promise<void> {
  await signingOn(config, store, async ({ signing, now }) => {
    const auditLog = createAuditLog({ audit: store.audit, signing, now });
    await changeSettings({ store, auditLog }, tenantId, change, { actor: 'command', requestId: null });
  });
}

function parseTenantArgs(args: readonly string[]): Asked {
  const { name, id, publish, visibility, 'retention-days': days, 'legal-hold': hold } = optionsOf(args, OPTIONS);
  if ((name === undefined) === (id === undefined)) throw new UsageError('--name or --id is required');
  const stated = {
    ...(days !== undefined && { retentionDays: days === 'none' ? null : numberOf(days) }),
    ...(visibility !== undefined && { visibility: visibility === 'default' ? null : visibility }),
    ...(hold !== undefined && { legalHold: hold === 'on' ? true : hold === 'off' ? false : hold }),
    ...(publish !== undefined && { publish: publish === 'default' ? null : jsonOf(publish) }),
  };
  if (Object.keys(stated).length === 0) return { name, id, change: {} };
  const checked = SettingsChange.safeParse(stated);
  if (checked.success) return { name, id, change: toStated(checked.data) };
  const faults = new Set(checked.error.issues.map(({ path: [member] }) => faultOf(String(member))));
  throw new UsageError([...faults].join('\n'));
}

const numberOf = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);

/** The rule of each option; the route's messages name its members, which differ. */
const FAULTS: ReadonlyMap<string, string> = new Map([
  ['retentionDays', '--retention-days: must be a whole number of days from 1 on, or none'],
  ['visibility', '--visibility: must be public, hidden or default'],
  ['legalHold', '--legal-hold: must be on or off'],
  ['publish', '--publish: must be JSON with some of context, prompt, instruction and metadata, or default'],
]);

const faultOf = (member: string): string => FAULTS.get(member) ?? 'an option has a value that it does not take';

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Text that is not a number is not accepted.
    return text;
  }
}
