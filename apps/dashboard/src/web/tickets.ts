import { createHmac, hkdfSync } from 'node:crypto';
import { equalSecret, type Secret } from '@cer/http-service/config';

/** The purpose of a ticket: one made for a purpose is read for no other. */
export type TicketPurpose = 'second step' | 'passkey sign-in' | 'passkey registration';

export interface TicketUse {
  readonly purpose: TicketPurpose;
  /** The form token of the browser or session that the ticket is bound to. */
  readonly binding: string;
}

/** Signed notes that a page carries to the next request, so that any instance reads them and none keeps them. */
export interface Tickets {
  /** @param claims any text; the page can read it */
  issue(use: TicketUse, claims: string, lifetimeMs: number): string;
  /** @returns null unless it was issued for this use, is unchanged and has not expired */
  read(use: TicketUse, ticket: string): { readonly claims: string; readonly expiresAt: Date } | null;
}

/** @param secret one that all instances share */
export function createTickets(secret: Secret<string>, now: () => Date): Tickets {
  const key = Buffer.from(hkdfSync('sha256', secret.reveal(), '', 'dashboard tickets', 32));
  const signatureOf = ({ purpose, binding }: TicketUse, content: string): string =>
    createHmac('sha256', key).update(`${purpose}\n${binding}\n${content}`).digest('base64url');

  return {
    issue: (use, claims, lifetimeMs) => {
      const content = `${now().getTime() + lifetimeMs}.${Buffer.from(claims).toString('base64url')}`;
      return `${content}.${signatureOf(use, content)}`;
    },
    read: (use, ticket) => {
      const [stated = '', claims = '', signature = '', ...rest] = ticket.split('.');
      if (rest.length > 0 || !/^\d{1,16}$/.test(stated)) return null;
      if (!equalSecret(signatureOf(use, `${stated}.${claims}`), signature)) return null;
      const expiresAt = new Date(Number(stated));
      return expiresAt > now() ? { claims: Buffer.from(claims, 'base64url').toString('utf8'), expiresAt } : null;
    },
  };
}
