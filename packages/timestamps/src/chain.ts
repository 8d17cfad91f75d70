import { isIssuedBy, type TsaCertificate } from './certificate.js';
import { isSameBytes } from './der.js';
import type { TsaRoots } from './roots.js';

/**
 * `pinned`: a valid chain leads to a root of the caller's. `unknown`: nothing is wrong, but no such root is there.
 * `invalid`: a chain is there and breaks a rule.
 */
export type ChainOutcome =
  | { readonly status: 'pinned' }
  | { readonly status: 'unknown' }
  | { readonly status: 'invalid'; readonly detail: string };

/** CAs between the stamping certificate and the root, and signatures checked in all: real chains have two or three. */
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
 * Looks for a chain from the certificate that stamped to a pinned root, every certificate of it valid at the time of the
 * stamp. Whether one was revoked since is not asked: this works offline.
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
    // A certificate that names itself as issuer ends a chain, and this one was not pinned.
    if (isSameBytes(other.issuer, other.subject)) continue;
    if (!(await certifies(other, certificate, casBelow, search))) continue;
    if (await leadsToRoot(other, casBelow + 1, search)) return true;
  }
  return false;
}

/** Did this issuer sign the certificate, and could it then? A signature that fits and may not be is a fault. */
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
  if (at < notBefore || at > notAfter) return 'was not valid at the time of the stamp';
  return hasUnknownCritical ? 'has a critical extension that is unknown' : null;
}

function caFault({ isCa, mayCertify, pathLength }: TsaCertificate, casBelow: number): string | null {
  if (!isCa || !mayCertify) return 'may not certify others';
  return pathLength !== null && casBelow > pathLength ? 'may not certify so long a chain' : null;
}
