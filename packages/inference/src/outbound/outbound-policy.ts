import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/**
 * A place that may not be connected to. Its message is for whoever gave the place, and so shows only the address that
 * was given: its resolution is the operator's knowledge.
 */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
}

/** One that could be connected to if its network were allowed. */
export class OutsideNetworks extends OutboundRefused {}

/** The advice about a place of a model outside of the networks, for the operator, whom the caller may have to ask. */
export const ALLOWING_MODEL_PLACES =
  'If this place is intended, its network has to be among those of --model-download-allowed-networks ' +
  '(PELORUS_MODEL_DOWNLOAD_ALLOWED_NETWORKS)';

export interface OutboundRules {
  /** Networks (CIDR) that may be reached although they are not public. Default none. */
  readonly allowedNetworks?: readonly string[];
  /** Origins that the operator configured himself, such as `http://mirror:8080`: reached as they are. */
  readonly trustedOrigins?: readonly string[];
}

/** A name that has no address one may connect to, or none at all: the two must not be told apart from outside. */
export function unreachableName(name: string, port: string): OutboundRefused {
  return isPublicPort(port) ? new OutsideNetworks(`${name} has no public address`) : otherPort(`${name}:${port}`);
}

const otherPort = (place: string) => new OutsideNetworks(`${place} is not on port 80 or 443`);

/** Special ranges that pass for unicast by name alone. */
const SPECIAL: readonly (readonly [string, number])[] = [
  ['192.88.99.0', 24],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2002::', 16],
];

/** Ports that may be asked outside of the allowed networks; none stands for the one of the protocol. */
const isPublicPort = (port: string) => port === '' || port === '80' || port === '443';

/**
 * Decides which places models and media may be fetched from, so that a location named in a request cannot be
 * used to reach into the operator's network. Names prove nothing: every address that one resolves to is
 * checked, and so is the address that was connected to in the end.
 */
export class OutboundPolicy {
  readonly #allowed: readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[];
  readonly #trusted: ReadonlySet<string>;
  readonly #special = new BlockList();

  constructor({ allowedNetworks = [], trustedOrigins = [] }: OutboundRules) {
    this.#allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
    this.#trusted = new Set(trustedOrigins.map((origin) => new URL(origin).origin));
    for (const [net, prefix] of SPECIAL) this.#special.addSubnet(net, prefix, isIPv6(net) ? 'ipv6' : 'ipv4');
  }

  /** Tells whether the operator vouches for this origin, so that its addresses are not looked at. */
  isTrusted(url: URL): boolean {
    return this.#trusted.has(url.origin);
  }

  /**
   * Checks the parts of a URL that show by themselves.
   * @throws OutboundRefused
   */
  checkUrl(url: URL): void {
    if (this.isTrusted(url)) return;
    const place = url.origin;
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new OutboundRefused(`${url.protocol} is not http or https`);
    }
    if (url.username !== '' || url.password !== '') throw new OutboundRefused('a URL may not carry credentials');
    const literal = literalAddress(url.hostname);
    if (literal !== null && !this.permits(literal)) throw new OutsideNetworks(`${literal} is not a public address`);
    // Which network a name is in shows when it is resolved.
    const isInside = literal === null ? this.#allowed.length > 0 : this.#isAllowed(literal);
    if (!isInside && !isPublicPort(url.port)) throw otherPort(place);
  }

  /**
   * Tells whether one address, as a resolver or a socket gives it, is allowed, or public and asked on a port of the
   * web.
   */
  permits(address: string, port = ''): boolean {
    const isKnown = isIP(address) !== 0 && !address.includes('%');
    return isKnown && (this.#isAllowed(address) || (isPublicPort(port) && this.#isPublic(address)));
  }

  #isAllowed(address: string): boolean {
    const parsed = ipaddr.process(address);
    return this.#allowed.some(([net, prefix]) => parsed.kind() === net.kind() && parsed.match(net, prefix));
  }

  #isPublic(address: string): boolean {
    const parsed = ipaddr.process(address);
    if (parsed.range() !== 'unicast') return false;
    if (this.#special.check(parsed.toString(), parsed.kind())) return false;
    return !ownAddresses().has(parsed.toString());
  }
}

/** The address a host part stands for when it is one rather than a name. */
function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

function ownAddresses(): Set<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.map(({ address }) => ipaddr.process(address.replace(/%.*$/, '')).toString()));
}
