import * as z from 'zod';
import { readSecretFile } from '@cer/http-service/config';
import { StartupError } from '../errors/startup-error.js';
import { ALERT_TYPES, type AlertType } from './alert-types.js';

const MAX_FILE_CHARACTERS = 256 * 1024;
/** Maximum characters of an address. */
export const MAX_URL_CHARACTERS = 2048;
const MAX_ENDPOINTS = 20;
/** Two secrets are valid at once while one is rotated. */
const MAX_SECRETS = 2;
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/** An address to which the node posts alerts. */
export interface AlertEndpoint {
  /** Whose endpoint it is; null: the operator's. */
  readonly tenantId: string | null;
  /** Unique among the endpoints of its owner. */
  readonly name: string;
  readonly url: string;
  /** `whsec_` and base64; each signs every message. */
  readonly secrets: readonly string[];
  /** Null: every type. */
  readonly types: readonly AlertType[] | null;
}

const secret = z.string().refine(isWebhookSecret, {
  error: `must be whsec_ and base64 of ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes`,
});

const Endpoint = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, { error: 'must have 1 to 64 letters, digits or . _ -' }),
  url: z
    .string()
    .max(MAX_URL_CHARACTERS)
    .refine(isWebhookUrl, { error: 'must be an https URL without credentials or fragment' }),
  secrets: z.array(secret).min(1).max(MAX_SECRETS),
  types: z.array(z.enum(ALERT_TYPES)).min(1).optional(),
});

const EndpointsFile = z
  .strictObject({ endpoints: z.array(Endpoint).max(MAX_ENDPOINTS) })
  .refine(({ endpoints }) => new Set(endpoints.map(({ name }) => name)).size === endpoints.length, {
    path: ['endpoints'],
    error: 'must have different names',
  });

/**
 * Reads the endpoints of ALERTS_FILE.
 * @throws SecretFileError, StartupError naming the file, the member and the rule, never a value
 */
export function readEndpoints(path: string): readonly AlertEndpoint[] {
  const result = EndpointsFile.safeParse(parsed(path));
  if (!result.success) {
    const faults = result.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${ruleOf(issue)}`);
    throw new StartupError(`ALERTS_FILE: ${path}: ${faults.join('; ')}`);
  }
  return result.data.endpoints.map(({ types, ...endpoint }) => ({ tenantId: null, ...endpoint, types: types ?? null }));
}

function parsed(path: string): unknown {
  try {
    const text = readSecretFile(path).reveal();
    if (text.length > MAX_FILE_CHARACTERS) throw new StartupError(`ALERTS_FILE: ${path}: is too large`);
    return JSON.parse(text);
  } catch (error) {
    // A syntax error quotes the text, which has secrets.
    if (error instanceof SyntaxError) throw new StartupError(`ALERTS_FILE: ${path}: is not JSON`);
    throw error;
  }
}

/** Zod names an unknown member in the message of its rule. */
function ruleOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'unrecognized_keys' ? 'has unknown members' : issue.message;
}

function isWebhookSecret(text: string): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  if (encoded === undefined) return false;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded && bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES;
}

/** Whether a text is an address of http or https without credentials and fragment. */
export function isWebhookUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' && hash === '';
}
