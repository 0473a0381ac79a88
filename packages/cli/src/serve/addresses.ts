import type { AddressInfo } from 'node:net';
import type { ManagedKeys } from '@pelorus/keys';
import { type Config, isLoopback } from '@pelorus/server';
import { ExitCode, StartFailure } from '../start-failure.js';

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

/**
 * Fails where other machines could reach a server that asks nobody for a key, unless its operator says that it is to be so.
 * @param address that the host of the settings stands for
 */
export function requireKeyBeyondLoopback(address: string, keys: ManagedKeys, { host, keysEnforcement }: Config): void {
  if (keysEnforcement === 'off' || keys.isRequired || isLoopback(address)) return;
  throw new StartFailure(
    ExitCode.BAD_CONFIGURATION,
    `other machines can reach ${host}, and there is no key: make one with \`pelorus keys create NAME --scope admin\`, give one in PELORUS_ADMIN_KEY or the file of PELORUS_ADMIN_KEY_FILE, or let everybody in with --keys-enforcement off`,
  );
}

/**
 * Returns the warning for an operator who lets everybody in at addresses that other machines can reach; else undefined.
 */
export function exposureOf(
  bound: readonly Bound[],
  { keysEnforcement }: Pick<Config, 'keysEnforcement'>,
): string | undefined {
  const exposed = bound.filter(({ address }) => !isLoopback(address)).map(urlOf);
  if (keysEnforcement !== 'off' || exposed.length === 0) return undefined;
  return `Warning: other machines can reach ${exposed.join(' and ')}, and no key is asked for: whoever does can read, change and delete everything`;
}
