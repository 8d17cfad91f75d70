import { host, loadConfig, logLevel, port, trustedProxies, type Environment } from '@cer/http-service/config';
import * as z from 'zod';

/**
 * The variables by name.
 * @public scripts/configuration.mjs makes docs/configuration.md of it
 */
export const VARIABLES = z.object({
  PORT: port(4601).describe('TCP port to listen on; 0 lets the system choose.'),
  HOST: host().describe('Address to listen on.'),
  DATABASE_FILE: z
    .string()
    .min(1)
    .default('.data/witness/witness.sqlite')
    .describe('SQLite database that `init` made. The key is in the file of the same name with `.key` after it.'),
  LOG_VKEYS: z
    .string()
    .default('')
    .describe('Verifier keys of the logs to cosign, separated by spaces. The name of a key is the origin of its log.'),
  LOGS_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('List of further logs in the format `logs/v0` of the witness network.'),
  LOG_LEVEL: logLevel().describe('Minimum level of the JSON log on standard output.'),
  TRUST_PROXY: trustedProxies().describe('Proxies whose `X-Forwarded-For` is trusted.'),
});

const Settings = VARIABLES.transform((set) => ({
  port: set.PORT,
  host: set.HOST,
  databaseFile: set.DATABASE_FILE,
  logVkeys: set.LOG_VKEYS.split(/\s+/).filter((vkey) => vkey !== ''),
  logsFile: set.LOGS_FILE,
  logLevel: set.LOG_LEVEL,
  trustedProxies: set.TRUST_PROXY,
}));

export type WitnessConfig = Readonly<z.output<typeof Settings>>;

/** The witness's configuration. @throws ConfigError naming every bad variable */
export function readConfig(env: Environment): WitnessConfig {
  return loadConfig(Settings, env);
}
