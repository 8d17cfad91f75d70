import { apiKeyPrefix, generateApiKey, hashApiKey, SCOPES } from '@cer/control-plane';
import { StartupError } from '../errors/startup-error.js';
import { loadNodeConfig } from '../start/config.js';
import { optionsOf, UsageError, withStore, type Command } from './command.js';

export const apiKeyCreateCommand: Command = {
  name: 'api-key create',
  usage: [
    ['api-key create --tenant NAME [--scopes a,b]', 'print a new API key, once'],
    [`               scopes: ${SCOPES.join(', ')}; all of them when left out`, ''],
  ],
  takesArguments: true,
  run: async (args, env) => {
    const { controlPlaneUrl } = loadNodeConfig(env);
    if (controlPlaneUrl !== undefined) {
      throw new StartupError(`CONTROL_PLANE_URL is set, so API keys are made there: ${controlPlaneUrl}`);
    }
    const { tenant, scopes } = parseKeyArgs(args);
    return withStore(env, async ({ tenants }) => {
      const { tenantId } = await tenants.createTenant(tenant);
      const key = generateApiKey();
      await tenants.createApiKey({ tenantId, keyHash: hashApiKey(key), prefix: apiKeyPrefix(key), scopes });
      return key;
    });
  },
};

function parseKeyArgs(args: readonly string[]): { readonly tenant: string; readonly scopes: readonly string[] } {
  const { tenant, scopes: stated } = optionsOf(args, ['tenant', 'scopes']);
  if (tenant === undefined || tenant.trim() === '') throw new UsageError('--tenant is required');
  const known: ReadonlySet<string> = new Set(SCOPES);
  const scopes = stated?.split(',') ?? [...SCOPES];
  if (!scopes.every((scope) => known.has(scope))) throw new StartupError(`--scopes: must be of ${SCOPES.join(', ')}`);
  return { tenant, scopes };
}
