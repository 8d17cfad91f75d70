import { parseArgs } from 'node:util';
import { silentLogger, type Environment } from '@cer/http-service';
import { createAuditLog } from '../audit-log/audit-log.js';
import { loadNodeConfig, type NodeConfig } from '../start/config.js';
import { describeRuntime } from '../status/runtime.js';
import { openKeyMaterial } from '../start/key-material.js';
import { openSigningKeys } from '../start/open-signing-keys.js';
import { StartupError } from '../errors/startup-error.js';
import { openStore, type Store } from '../store/index.js';
import { changeSettings, shownTenant } from '../admin/settings-routes.js';
import { SettingsChange, toStated } from '../tenants/tenant-settings.js';

const OPTIONS = {
  name: { type: 'string' },
  id: { type: 'string' },
  'retention-days': { type: 'string' },
  visibility: { type: 'string' },
  'legal-hold': { type: 'string' },
  publish: { type: 'string' },
} as const;

type Change = ReturnType<typeof toStated>;

/** A parsed command: a tenant by name or id, and the changes. */
interface Asked {
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly change: Change;
}

/**
 * Changes and shows the settings of a tenant, as the admin routes do, on the node's own database and with its own keys:
 * the audit log is signed.
 * @returns the JSON of the route's response
 * @throws StartupError with the remedy
 * @see docs/spec.md, "Retention"
 */
export async function tenantCommand(
  act: 'set' | 'show',
  args: readonly string[],
  env: Environment,
  usage: string,
): Promise<string> {
  const asked = parseTenantArgs(args, usage);
  const changes = Object.keys(asked.change).length > 0;
  if (changes !== (act === 'set')) {
    throw new StartupError(`${changes ? 'tenant show changes nothing' : 'there is nothing to set'}\n\n${usage}`);
  }
  const config = loadNodeConfig(env);
  const store = await openStore({ databaseUrl: config.databaseUrl, queueLimit: config.storeQueueLimit });
  try {
    const tenantId = await tenantIdOf(store, asked);
    if (changes) await changeAsNode(config, store, tenantId, asked.change);
    return JSON.stringify(await shownTenant(store, tenantId), null, 2);
  } finally {
    await store.close();
  }
}

async function tenantIdOf(store: Store, { name, id }: Asked): Promise<string> {
  if (id !== undefined && (await store.tenantSettings.knows(id))) return id;
  const found = name === undefined ? null : await store.tenants.findTenant(name);
  if (found !== null) return found.tenantId;
  throw new StartupError('there is no such tenant on this node; `tenant create` makes one');
}

async function changeAsNode(config: NodeConfig, store: Store, tenantId: string, change: Change): Promise<void> {
  const now = (): Date => new Date();
  const { vault } = await openKeyMaterial(config, store, now());
  const nodeRuntimeHash = describeRuntime(vault.nodeId).hash;
  const keyDeps = { config, store: store.signingKeys, vault, nodeRuntimeHash, now, logger: silentLogger() };
  const { signing, upkeep } = await openSigningKeys(keyDeps);
  try {
    const auditLog = createAuditLog({ audit: store.audit, signing, now });
    await changeSettings({ store, auditLog }, tenantId, change, { actor: 'command', requestId: null });
  } finally {
    await upkeep.stop();
  }
}

function parseTenantArgs(args: readonly string[], usage: string): Asked {
  let values: Partial<Record<keyof typeof OPTIONS, string>>;
  try {
    ({ values } = parseArgs({ args: [...args], options: OPTIONS }));
  } catch {
    throw new StartupError(`unknown option\n\n${usage}`);
  }
  const { name, id, publish, visibility, 'retention-days': days, 'legal-hold': hold } = values;
  if ((name === undefined) === (id === undefined)) throw new StartupError(`--name or --id is required\n\n${usage}`);
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
  throw new StartupError(`${[...faults].join('\n')}\n\n${usage}`);
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
