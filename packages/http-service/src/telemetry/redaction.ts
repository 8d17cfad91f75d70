/** Members that are secret or a client's content in any logged object; lower case. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'x-admin-secret',
  'adminsecret',
  'apikey',
  'secret',
  'token',
  'password',
  'privatekey',
  'body',
  'input',
  'output',
  'prompt',
  'openings',
]);

const CENSORED = '[redacted]';
const MAX_DEPTH = 6;

/**
 * A copy of a log record without the values of secret members. Walks plain objects and arrays only: errors and secrets
 * have their own serialization. Values deeper than any expected record are omitted.
 */
export function redacted(record: Record<string, unknown>, depth = 1): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    shown[name] = SECRET_MEMBERS.has(name.toLowerCase()) ? CENSORED : redactedValue(record[name], depth);
  }
  return shown;
}

function redactedValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const walkable = Array.isArray(value) || isPlain(value);
  if (!walkable) return value;
  if (depth >= MAX_DEPTH) return CENSORED;
  return Array.isArray(value) ? value.map((element) => redactedValue(element, depth + 1)) : redacted(value, depth + 1);
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || (typeof prototype === 'object' && Object.getPrototypeOf(prototype) === null);
}
