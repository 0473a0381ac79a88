import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import { type OutboundPolicy, unreachableName } from './outbound-policy.js';

/** All addresses of a host name. */
export type ResolveName = (hostname: string) => Promise<LookupAddress[]>;

/** The system's way, with its file of hosts. */
const resolveBySystem: ResolveName = (hostname) => lookup(hostname, { all: true });

/** Connectors that are kept, each with its TLS sessions. */
const PORTS_MAX = 16;

/** Connects where every address that the name has may be connected to, and looks once more at the one it got. */
export function vettedConnect(
  policy: OutboundPolicy,
  build: (lookup: LookupFunction) => buildConnector.connector,
  resolve: ResolveName = resolveBySystem,
): buildConnector.connector {
  const resolveOnce = shared(resolve);
  const connectors = new LRUCache<string, buildConnector.connector>({ max: PORTS_MAX });
  const connectorTo = (port: string) => {
    const known = connectors.get(port);
    const connector = known ?? build(vettedLookup(policy, port, resolveOnce));
    if (known === undefined) connectors.set(port, connector);
    return connector;
  };
  return (options, callback) =>
    connectorTo(options.port)(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      if (policy.permits(socket.remoteAddress ?? '', options.port)) return callback(null, socket);
      socket.destroy();
      callback(unreachableName(options.hostname, options.port), null);
    });
}

/** Resolves a name, if every address it has may be connected to on this port. */
function vettedLookup(policy: OutboundPolicy, port: string, resolve: ResolveName): LookupFunction {
  return (hostname, { all }, callback) => {
    const refuse = () => callback(unreachableName(hostname, port), []);
    const answer = (addresses: LookupAddress[]) => {
      const [first] = addresses;
      if (first === undefined || addresses.some(({ address }) => !policy.permits(address, port))) return refuse();
      if (all === true) return callback(null, addresses);
      callback(null, first.address, first.family);
    };
    resolve(hostname).then(answer, refuse);
  };
}

/**
 * Asks for a name once while several wait for it: the system answers a few names at a time, and one that takes it long
 * must not hold up the others for each connection to it. Nothing is kept.
 */
function shared(resolve: ResolveName): ResolveName {
  const running = new Map<string, Promise<LookupAddress[]>>();
  return (hostname) => {
    const started = running.get(hostname) ?? resolve(hostname).finally(() => running.delete(hostname));
    running.set(hostname, started);
    return started;
  };
}
