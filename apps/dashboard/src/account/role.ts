/** In order of what they may do: an auditor reads and exports, a reviewer also makes reviews. */
export const ROLES = ['auditor', 'reviewer', 'member', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Required role of an act: `person` for changes of one's own data, a role for itself and those above. */
export type ActBy = 'person' | Exclude<Role, 'auditor'>;

/** Whether a user's role allows an act. */
export function mayAct({ role }: { readonly role: Role }, by: ActBy): boolean {
  return by === 'person' || ROLES.indexOf(role) >= ROLES.indexOf(by);
}

/** Why it does not. */
export function standingRefusal({ role }: { readonly role: Role }): string {
  switch (role) {
    case 'auditor':
      return 'An auditor reads and exports, and changes nothing but the own sign-in.';
    case 'reviewer':
      return 'A reviewer reads, exports and reviews, and changes nothing but the own sign-in.';
    case 'member':
    case 'owner':
      return 'Only an owner of this account may do this.';
  }
}
