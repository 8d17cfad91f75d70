import { ROLES, type Role } from '../account/role.js';

/** Values of one claim that give each role. */
export interface RoleMapping {
  /** Name of a claim whose value is a text or a list of texts. */
  readonly claim: string;
  readonly values: Readonly<Record<Role, readonly string[]>>;
}

/** The strongest first. */
const ORDER = ROLES.toReversed();

/** @returns the strongest role that the claims give; null for none */
export function roleFrom(claims: Readonly<Record<string, unknown>>, { claim, values }: RoleMapping): Role | null {
  const stated = claims[claim];
  const held = (Array.isArray(stated) ? stated : [stated]).filter((value) => typeof value === 'string');
  return ORDER.find((role) => values[role].some((value) => held.includes(value))) ?? null;
}
