/** The member that each attack would add to every object. */
const ADDED = 'polluted';

/** The value as JSON, with members in each object that would change prototypes where they are assigned. */
export function hostileJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(hostileJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${hostileJson(inner)}`);
  const attacks = [`"__proto__":{"${ADDED}":1}`, `"constructor":{"prototype":{"${ADDED}":1}}`];
  return `{${[...attacks, ...members].join(',')}}`;
}

/** The fields as a form or a query, with fields that would change prototypes where names are read as paths. */
export function hostileForm(fields: Readonly<Record<string, string>>): string {
  const attacks = [
    `__proto__[${ADDED}]`,
    `__proto__.${ADDED}`,
    `constructor[prototype][${ADDED}]`,
    `constructor.prototype.${ADDED}`,
    '__proto__',
  ];
  return new URLSearchParams([
    ...attacks.map((name): [string, string] => [name, '1']),
    ...Object.entries(fields),
  ]).toString();
}

/** @returns the kinds of objects that an attack changed; those of the host are from the realm of Node.js itself */
export function pollutedKinds(): readonly string[] {
  const kinds = { object: {}, array: [], function: hostileJson, 'object of the host': new URL('http://host.example') };
  return Object.entries(kinds)
    .filter(([, value]) => ADDED in value)
    .map(([kind]) => kind);
}
