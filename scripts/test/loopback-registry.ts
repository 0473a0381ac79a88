import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Bytes of a block of a tar file. */
const BLOCK = 512;

/** A registry of npm on the loopback interface that has some packed packages, and nothing else. */
export class LoopbackRegistry {
  readonly #server: Server;
  /** The names of packages whose files were fetched. */
  readonly fetched: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(tarballs: readonly string[]): Promise<LoopbackRegistry> {
    const packages = tarballs.map((path) => ({ path, manifest: manifestIn(path) }));
    const server = createServer((request, response) => {
      const asked = decodeURIComponent(request.url ?? '').replace(/^\/(-\/)?/, '');
      const named = packages.find(({ manifest }) => manifest.name === asked);
      const file = packages.find(({ path }) => basename(path) === asked);
      if (named !== undefined) response.end(JSON.stringify(registry.#packument(named)));
      else if (file !== undefined) {
        registry.fetched.push(file.manifest.name);
        response.end(readFileSync(file.path));
      } else response.writeHead(404).end('{}');
    });
    const registry = new LoopbackRegistry(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #packument({ path, manifest }: Packed) {
    const integrity = `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`;
    const dist = { tarball: `${this.url}/-/${basename(path)}`, integrity };
    const { name, version } = manifest;
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
  }
}

interface Manifest {
  readonly name: string;
  readonly version: string;
}

interface Packed {
  readonly path: string;
  readonly manifest: Manifest;
}

/** The manifest of a packed package. */
function manifestIn(path: string): Manifest {
  const tar = gunzipSync(readFileSync(path));
  for (let at = 0; at < tar.length; ) {
    const name = text(tar, at, 100);
    const size = Number.parseInt(text(tar, at + 124, 12), 8) || 0;
    const start = at + BLOCK;
    if (name === 'package/package.json') return JSON.parse(tar.toString('utf8', start, start + size));
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new Error(`${path} has no manifest`);
}

function text(bytes: Buffer, start: number, length: number): string {
  return bytes.toString('utf8', start, start + length).replace(/\0.*$/s, '');
}
