import type { AddressInfo } from 'node:net';
import { isLoopback } from '@pelorus/server';

type Bound = Pick<AddressInfo, 'address' | 'port'>;

/** The URL of an address that a server is bound to: of all addresses of the machine, `http://0.0.0.0:8882`. */
export function urlOf({ address, port }: Bound): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** A URL by which this machine reaches the address: a server bound to all of them is reached by its loopback one. */
export function localUrlOf({ address, port }: Bound): string {
  const everywhere = { '0.0.0.0': '127.0.0.1', '::': '::1' } as Readonly<Record<string, string>>;
  return urlOf({ address: everywhere[address] ?? address, port });
}

/** What an operator must know who binds the server to addresses that other machines can reach; else undefined. */
export function exposureOf(bound: readonly Bound[]): string | undefined {
  const exposed = bound.filter(({ address }) => !isLoopback(address)).map(urlOf);
  if (exposed.length === 0) return undefined;
  return `Warning: other machines can reach ${exposed.join(' and ')}, and there are no keys: whoever does can read, change and delete everything`;
}
