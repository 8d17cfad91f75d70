/** Configuration from environment variables, and secrets. */
export { ConfigError } from './config/config-error.js';
export {
  absolutePath,
  flag,
  host,
  loadConfig,
  logLevel,
  milliseconds,
  minutes,
  port,
  positiveInteger,
  secondsOrNone,
  secret,
  serviceUrl,
  trustedProxies,
  wholeNumber,
  type Environment,
} from './config/config.js';
export { describeVariables } from './config/describe-variables.js';
export { equalSecret, readSecretFile, readTokenFile, Secret } from './config/secret.js';
