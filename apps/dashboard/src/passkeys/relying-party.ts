import { isIP } from 'node:net';

/** Who asks for passkeys: browsers use them for this name and the pages of this origin only. */
export interface RelyingParty {
  /** The host name. */
  readonly id: string;
  readonly origin: string;
}

/** @returns null for an IP address, which WebAuthn does not accept */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { hostname, origin } = new URL(publicUrl);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin } : null;
}
