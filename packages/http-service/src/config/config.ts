import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { parseTrustedProxies } from '../callers/client-address.js';
import { ConfigError } from './config-error.js';
import { LOG_LEVELS } from '../telemetry/logger.js';
import { CARRIED_WHOLE, isCarriedWhole, readSecretFile, Secret, SecretFileError } from './secret.js';
import { zodFaults } from '../errors/zod-faults.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a service's configuration from environment variables. An empty variable counts as unset. A variable `X` may be
 * given as `X_FILE`, the path of a file with its value, as orchestrators mount secrets.
 * @param schema zod object by variable name, or one that is transformed into the service's own names
 * @throws ConfigError with every bad variable, one line each, never a value
 */
export function loadConfig<Schema extends z.ZodType>(schema: Schema, env: Environment): Readonly<z.output<Schema>> {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const unreadable = readVariableFiles(variablesOf(schema), set);
  const result = schema.safeParse(set);
  if (!result.success || unreadable.size > 0) {
    const others = result.success ? [] : zodFaults(result.error, set);
    // A variable whose file has a fault is missing only for that reason.
    const own = others.filter((line) => !unreadable.has(line.slice(0, line.indexOf(':'))));
    throw new ConfigError([...unreadable.values(), ...own]);
  }
  return Object.freeze(result.data);
}

/** The names of a schema's variables. */
function variablesOf(schema: z.core.$ZodType): ReadonlySet<string> {
  if (schema instanceof z.ZodPipe) return variablesOf(schema.in);
  return new Set(schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);
}

/** Sets each variable whose file is named. @returns the faults, one line each, by the name of the variable */
function readVariableFiles(
  variables: ReadonlySet<string>,
  set: Record<string, string | undefined>,
): ReadonlyMap<string, string> {
  const faults = new Map<string, string>();
  for (const name of variables) {
    const file = `${name}_FILE`;
    const path = set[file];
    if (path === undefined || variables.has(file)) continue;
    if (set[name] !== undefined) {
      faults.set(name, `${name}, ${file}: set only one of them`);
      continue;
    }
    try {
      set[name] = readSecretFile(path).reveal();
    } catch (error) {
      if (!(error instanceof SecretFileError)) throw error;
      faults.set(name, `${file}: ${error.message}`);
    }
  }
  return faults;
}

/** A whole number in decimal digits, from `min` to `max`. */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  const upTo = max === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${max}`;
  return z
    .string()
    .refine((text) => /^\d{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number, ${min} ${upTo}`,
    })
    .transform(Number);
}

/** A whole number of at least 1. */
export function positiveInteger(byDefault: number) {
  return wholeNumber(1).default(byDefault);
}

/** What a timer of Node.js can wait, 24.8 days: one that is set to more ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A time in milliseconds that a timer waits for. */
export function milliseconds(byDefault: number) {
  return wholeNumber(1, LONGEST_TIMER_MS).default(byDefault);
}

/** A time in seconds that a timer waits for, or none. */
export function secondsOrNone(byDefault: number) {
  return wholeNumber(0, Math.floor(LONGEST_TIMER_MS / 1000)).default(byDefault);
}

/** A time of up to a year in minutes. */
export function minutes(byDefault: number) {
  return wholeNumber(1, 365 * 24 * 60).default(byDefault);
}

/** A TCP port; 0 lets the system choose. */
export function port(byDefault: number) {
  return wholeNumber(0, 65_535).default(byDefault);
}

/** The address to listen on; loopback by default. */
export function host() {
  return z.string().default('127.0.0.1');
}

export function logLevel() {
  return z.enum(LOG_LEVELS).default('info');
}

/** `1` or `0`. */
export function flag(byDefault: boolean) {
  return z
    .enum(['0', '1'])
    .transform((text) => text === '1')
    .default(byDefault);
}

/** A secret given in the variable itself, which clients send in a header. */
export function secret(minCharacters = 1) {
  return z
    .string()
    .refine(isCarriedWhole, { error: CARRIED_WHOLE })
    .refine((text) => text.length >= minCharacters, { error: `must have at least ${minCharacters} characters` })
    .transform((text) => new Secret(text));
}

/** The absolute path of a file or folder. */
export function absolutePath() {
  return z.string().refine(isAbsolute, { error: 'must be an absolute path' });
}

/** An http or https URL without credentials, query, fragment or trailing slash. */
export function serviceUrl() {
  return z
    .string()
    .refine(isServiceUrl, { error: 'must be an http or https URL without credentials, query or fragment' })
    .transform((text) => text.replace(/\/+$/, ''));
}

function isServiceUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#]/.test(text);
}

/** `TRUST_PROXY`: the proxies whose `X-Forwarded-For` is trusted; none when unset. */
export function trustedProxies() {
  return z
    .string()
    .transform((list, context) => {
      try {
        return parseTrustedProxies(list);
      } catch {
        context.addIssue({ code: 'custom', message: 'must be IP addresses or CIDR ranges separated by commas' });
        return z.NEVER;
      }
    })
    .optional();
}
