import { parseArgs } from 'node:util';
import { addWrappingKey, openKeyVault } from '@cer/keys/file-signer';
import type { Environment } from '@cer/http-service';
import { apiKeyPrefix, generateApiKey, hashApiKey, SCOPES } from '../auth/api-key.js';
import { backUp, restore } from './backup-commands.js';
import { loadNodeConfig } from '../start/config.js';
import { createKeyMaterial } from '../start/key-material.js';
import { StartupError } from '../errors/startup-error.js';
import { migrate, openStore } from '../store/index.js';
import { tenantCommand } from './tenant-commands.js';

export const USAGE = `Usage: node apps/node/dist/main.js [command]

  (no command)                                  serve
  init                                          make KEYS_FILE and COMMITMENT_SECRET_FILE of a new node
  keys upgrade                                  give KEYS_FILE of an earlier release its wrapping key
  migrate                                       bring the database up to date
  backup --out FILE                             copy the SQLite database while the node runs
  restore --from FILE                           put such a copy where DATABASE_URL points, and nothing is yet
  compact                                       write the tables of records anew, so that nothing deleted is left in them
  tenant create --name NAME                     print the tenant's id; made when there is none of that name
  tenant show --name NAME | --id ID             print the tenant's settings
  tenant set --name NAME | --id ID              change them, and print them
                 --retention-days N|none        delete records when they are older
                 --visibility public|hidden|default
                 --legal-hold on|off            while on, nothing of the tenant is deleted
                 --publish JSON|default         for example {"prompt":true,"metadata":["team"]}
  api-key create --tenant NAME [--scopes a,b]   print a new API key, once
                 scopes: ${SCOPES.join(', ')}; all of them when left out

Configuration is by environment variables: see README.md.
`;

/** Prints the output of a command; stdout has nothing else, so that scripts can parse it. */
export type Print = (line: string) => void;

/** Runs one of the node's commands. @throws StartupError with the remedy when it cannot */
export async function runCommand(args: readonly string[], env: Environment, print: Print): Promise<void> {
  const [command, subcommand, ...rest] = args;
  if (command === 'help' || args.some((arg) => arg === '--help' || arg === '-h')) {
    print(USAGE.trimEnd());
    return;
  }
  if (command === 'init' && subcommand === undefined) {
    const made = createKeyMaterial(loadNodeConfig(env), new Date());
    print(made.length === 0 ? 'nothing to do: both files are there' : `made ${made.join(' and ')}`);
    return;
  }
  if (command === 'keys' && subcommand === 'upgrade' && rest.length === 0) {
    const { keysFile } = loadNodeConfig(env);
    const { hasWrappingKey } = openKeyVault(keysFile);
    addWrappingKey(keysFile);
    print(hasWrappingKey ? 'nothing to do: the wrapping key is there' : `${keysFile} has its wrapping key`);
    return;
  }
  if (command === 'migrate' && subcommand === undefined) {
    print(`the database is at schema version ${await migrate(loadNodeConfig(env).databaseUrl)}`);
    return;
  }
  if (command === 'backup') {
    print(backUp(args.slice(1), loadNodeConfig(env)));
    return;
  }
  if (command === 'restore') {
    print(restore(args.slice(1), loadNodeConfig(env)));
    return;
  }
  if (command === 'compact' && subcommand === undefined) {
    await compact(env);
    print('the tables of records were rewritten');
    return;
  }
  if (command === 'tenant' && (subcommand === 'set' || subcommand === 'show')) {
    print(await tenantCommand(subcommand, rest, env, USAGE));
    return;
  }
  if (command === 'tenant' && subcommand === 'create') {
    print(await createTenant(rest, env));
    return;
  }
  if (command === 'api-key' && subcommand === 'create') {
    print(await createApiKey(rest, env));
    return;
  }
  throw new StartupError(`unknown command\n\n${USAGE}`);
}

async function compact(env: Environment): Promise<void> {
  const { databaseUrl, storeQueueLimit } = loadNodeConfig(env);
  const store = await openStore({ databaseUrl, queueLimit: storeQueueLimit });
  try {
    await store.compact();
  } finally {
    await store.close();
  }
}

async function createTenant(args: readonly string[], env: Environment): Promise<string> {
  const { name } = optionsOf(args, ['name']);
  if (name === undefined || name.trim() === '') throw new StartupError(`--name is required\n\n${USAGE}`);
  const { databaseUrl, storeQueueLimit } = loadNodeConfig(env);
  const store = await openStore({ databaseUrl, queueLimit: storeQueueLimit });
  try {
    return (await store.tenants.createTenant(name)).tenantId;
  } finally {
    await store.close();
  }
}

async function createApiKey(args: readonly string[], env: Environment): Promise<string> {
  const config = loadNodeConfig(env);
  if (config.controlPlaneUrl !== undefined) {
    throw new StartupError(`CONTROL_PLANE_URL is set, so API keys are made there: ${config.controlPlaneUrl}`);
  }
  const { tenant, scopes } = parseKeyArgs(args);
  const store = await openStore({ databaseUrl: config.databaseUrl, queueLimit: config.storeQueueLimit });
  try {
    const { tenantId } = await store.tenants.createTenant(tenant);
    const key = generateApiKey();
    await store.tenants.createApiKey({ tenantId, keyHash: hashApiKey(key), prefix: apiKeyPrefix(key), scopes });
    return key;
  } finally {
    await store.close();
  }
}

function parseKeyArgs(args: readonly string[]): { readonly tenant: string; readonly scopes: readonly string[] } {
  const { tenant, scopes: stated } = optionsOf(args, ['tenant', 'scopes']);
  if (tenant === undefined || tenant.trim() === '') throw new StartupError(`--tenant is required\n\n${USAGE}`);
  const known: ReadonlySet<string> = new Set(SCOPES);
  const scopes = stated?.split(',') ?? [...SCOPES];
  if (!scopes.every((scope) => known.has(scope))) throw new StartupError(`--scopes: must be of ${SCOPES.join(', ')}`);
  return { tenant, scopes };
}

/** Parses the options of a command; each has a value. */
function optionsOf<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): { readonly [option in Name]?: string } {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    const { values } = parseArgs({ args: [...args], options });
    return values as { [option in Name]?: string };
  } catch {
    throw new StartupError(`unknown option\n\n${USAGE}`);
  }
}
