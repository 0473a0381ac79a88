import { isIPv6 } from 'node:net';

/** A host and a port, as a Host header, an Origin and an absolute request target name them. */
export interface Authority {
  /** In lower case, an IPv6 address in its brackets, the dot that may end a name left out. */
  readonly host: string;
  /** Empty where it is left to the scheme. */
  readonly port: string;
}

const authority = /^(\[[\da-f:.]+\]|[\w.-]+)(?::(\d*))?$/i;

/** Reads `name`, `name:8882`, `127.0.0.1:8882`, `[::1]:8882`; undefined for anything else. */
export function readAuthority(text: string): Authority | undefined {
  const [, host, port = ''] = authority.exec(text) ?? [];
  if (host === undefined || (host.startsWith('[') && !isIPv6(host.slice(1, -1)))) return undefined;
  return { host: hostName(host), port };
}

/** Names are compared without their case and without the dot that says that a name is whole. */
export function hostName(text: string): string {
  return (text.endsWith('.') ? text.slice(0, -1) : text).toLowerCase();
}

const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** Tells whether `origin`, such as `https://shop.example:8443`, is the host and port of `own`, whatever the scheme. */
export function isOriginOf(own: Authority, origin: string): boolean {
  const at = origin.indexOf('://');
  const other = at < 0 ? undefined : readAuthority(origin.slice(at + 3));
  if (other === undefined || other.host !== own.host) return false;
  // A proxy may speak https to the browser and http to us: the port left out is that of the page's scheme.
  const implied = defaultPorts[origin.slice(0, at)];
  return (other.port || implied) === (own.port || implied);
}
