import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** One address that a name resolves to. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** Every address of a name, by the resolver of the system. */
export const resolveBySystem: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));

const notPublic4 = new BlockList();
// The special-purpose blocks of IANA that are not globally reachable, multicast, and reserved addresses.
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  notPublic4.addSubnet(network, bits, 'ipv4');
}

/** Only global unicast is public: no mapped, translated, local or multicast address. */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
const notPublic6 = new BlockList();
for (const [network, bits] of [
  // Protocol assignments with Teredo, documentation, 6to4, which contains IPv4 addresses.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  notPublic6.addSubnet(network, bits, 'ipv6');
}

/** Link-local addresses, and metadata services of clouds at other ones: AWS and Google on IPv6, Alibaba, Azure, Oracle. */
const neverCalled = new BlockList();
neverCalled.addSubnet('169.254.0.0', 16, 'ipv4');
for (const address of ['100.100.100.200', '168.63.129.16', '192.0.0.192']) neverCalled.addAddress(address, 'ipv4');
neverCalled.addSubnet('fe80::', 10, 'ipv6');
for (const address of ['fd00:ec2::254', 'fd20:ce::254']) neverCalled.addAddress(address, 'ipv6');
// NAT64, which translates to any IPv4 address.
neverCalled.addSubnet('64:ff9b::', 96, 'ipv6');
neverCalled.addSubnet('64:ff9b:1::', 48, 'ipv6');

/** Whether an address is globally reachable. */
function isPublicAddress({ address, family }: ResolvedAddress): boolean {
  if (family === 4) return !notPublic4.check(address, 'ipv4');
  return global6.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6');
}

function isNeverCalled({ address, family }: ResolvedAddress): boolean {
  return neverCalled.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** The address that a URL states in place of a name; null for a name. @param hostname of a URL */
function literalOf(hostname: string): ResolvedAddress | null {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(address);
  return family === 0 ? null : { address, family: family === 6 ? 6 : 4 };
}

function isPermitted(address: ResolvedAddress, allowsPrivate: boolean): boolean {
  return !isNeverCalled(address) && (allowsPrivate || isPublicAddress(address));
}

/** False for an address that may not be called. Those of a name are only known when it is called. */
export function mayBePermitted(hostname: string, allowsPrivate: boolean): boolean {
  const literal = literalOf(hostname);
  return literal === null || isPermitted(literal, allowsPrivate);
}

/**
 * The address to connect to: one that was checked, so that a second resolution cannot replace it.
 * @param hostname of a URL; an IPv6 address in brackets
 * @returns null when the name has any address that may not be called, or none
 */
export async function permittedAddress(
  hostname: string,
  allowsPrivate: boolean,
  resolve: Resolve,
): Promise<ResolvedAddress | null> {
  const literal = literalOf(hostname);
  const found = literal === null ? await resolve(hostname) : [literal];
  return found.every((address) => isPermitted(address, allowsPrivate)) ? (found[0] ?? null) : null;
}
