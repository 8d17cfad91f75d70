import { isIssuedBy, type TsaCertificate } from './certificate.js';
import { isSameBytes } from './der.js';
import type { TsaRoots } from './roots.js';

/**
 * `pinned`: a valid chain leads to a pinned root. `unknown`: no chain to a pinned root, and no fault. `invalid`: a
 * chain exists and violates a rule.
 */
export type ChainOutcome =
  | { readonly status: 'pinned' }
  | { readonly status: 'unknown' }
  | { readonly status: 'invalid'; readonly detail: string };

/**
 * Maximum CAs between the signing certificate and the root, and maximum signature checks: real chains have two or
 * three.
 */
const MAX_CHAIN = 6;
const MAX_SIGNATURES = 24;

interface Search {
  readonly roots: readonly TsaCertificate[];
  readonly others: readonly TsaCertificate[];
  /** Milliseconds since 1970. */
  readonly at: number;
  signaturesLeft: number;
  fault: string | null;
}

/**
 * Finds a chain from the signing certificate to a pinned root, with every certificate valid at the time of the
 * timestamp. Revocation is not checked, since verification is offline.
 * @param others certificates that came with the token; they are never roots
 * @see docs/spec.md, "External timestamps"
 */
export async function findChain(
  signer: TsaCertificate,
  others: readonly TsaCertificate[],
  { certificates }: TsaRoots,
  genTime: number,
): Promise<ChainOutcome> {
  const search: Search = { roots: certificates, others, at: genTime, signaturesLeft: MAX_SIGNATURES, fault: null };
  const fault = ownFault(signer, genTime);
  if (fault !== null) return { status: 'invalid', detail: `the certificate of the authority ${fault}` };
  if (await leadsToRoot(signer, 0, search)) return { status: 'pinned' };
  return search.fault === null ? { status: 'unknown' } : { status: 'invalid', detail: search.fault };
}

async function leadsToRoot(certificate: TsaCertificate, casBelow: number, search: Search): Promise<boolean> {
  const isIssuer = ({ subject }: TsaCertificate): boolean => isSameBytes(subject, certificate.issuer);
  if (search.roots.some(({ whole }) => isSameBytes(whole, certificate.whole))) return true;
  if (casBelow > MAX_CHAIN) return false;
  for (const root of search.roots.filter(isIssuer)) {
    if (await certifies(root, certificate, casBelow, search)) return true;
  }
  for (const other of search.others.filter(isIssuer)) {
    // A self-issued certificate ends a chain, and this one is not pinned.
    if (isSameBytes(other.issuer, other.subject)) continue;
    if (!(await certifies(other, certificate, casBelow, search))) continue;
    if (await leadsToRoot(other, casBelow + 1, search)) return true;
  }
  return false;
}

/**
 * Whether this issuer signed the certificate and was allowed to at that time. A valid signature by an unauthorized
 * issuer is a fault.
 */
async function certifies(
  issuer: TsaCertificate,
  certificate: TsaCertificate,
  casBelow: number,
  search: Search,
): Promise<boolean> {
  if (search.signaturesLeft === 0) return false;
  search.signaturesLeft -= 1;
  if (!(await isIssuedBy(certificate, issuer))) return false;
  const fault = ownFault(issuer, search.at) ?? caFault(issuer, casBelow);
  if (fault === null) return true;
  search.fault ??= `a certificate of the chain ${fault}`;
  return false;
}

function ownFault({ notBefore, notAfter, hasUnknownCritical }: TsaCertificate, at: number): string | null {
  if (at < notBefore || at > notAfter) return 'was not valid at the time of the timestamp';
  return hasUnknownCritical ? 'has a critical extension that is unknown' : null;
}

function caFault({ isCa, mayCertify, pathLength }: TsaCertificate, casBelow: number): string | null {
  if (!isCa || !mayCertify) return 'is not a certificate authority';
  return pathLength !== null && casBelow > pathLength ? 'does not allow a chain of this length' : null;
}
