import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ServiceName } from '../call.js';
import { asksForPage } from './page-request.js';
import { splitTarget } from './paths.js';
import { consolePolicy } from './security-headers.js';

const PATH = '/console';

/** A file of the console, as it is sent. */
interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Files below this folder have the hash of their content in their name. */
const HASHED = 'assets/';
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The place in the page that says which service it came with; it is built for that of one server. */
const SERVICE = ['name="pelorus-service" content="search"', 'name="pelorus-service" content="hosted"'] as const;

/**
 * Serves the console of a service at `/console`. A clone where it was not built, as by a compiler alone, serves everything else.
 */
export function serveConsole(app: FastifyInstance, service: ServiceName): void {
  const files = service === 'hosted' ? hostedFiles() : builtFiles();
  const page = files.get('index.html');
  if (page === undefined) return;
  const options = { exposeHeadRoute: false, schema: { hide: true } };
  // Browsers get a page at the address of a server; programs, which ask for JSON, get the greeting. A
  // link that is relative to several slashes may name a host.
  app.addHook('onRequest', async ({ method, originalUrl, headers }, reply) => {
    if (method !== 'GET' || splitTarget(originalUrl).path !== '/' || !asksForPage(headers.accept)) return;
    return reply.header('location', 'console/').header('vary', 'Accept').code(307).send();
  });
  // Relative, since a proxy may have put a path in front; the files of the page are below the slash.
  app.get(PATH, options, (_request, reply) => reply.header('location', 'console/').code(307).send());
  app.get(`${PATH}/`, options, (request, reply) => {
    reply.header('content-security-policy', consolePolicy);
    return send(reply, page, request.headers['accept-encoding']);
  });
  for (const [name, file] of files) {
    app.get(`${PATH}/${name}`, options, (request, reply) => {
      reply.header('content-security-policy', consolePolicy);
      if (name.startsWith(HASHED)) reply.header('cache-control', FOR_EVER);
      return send(reply, file, request.headers['accept-encoding']);
    });
  }
}

function send(reply: FastifyReply, { type, bytes, gzipped }: PageFile, accepted: string | undefined): FastifyReply {
  reply.header('content-type', type).header('vary', 'Accept-Encoding');
  if (!/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted ?? '')) return reply.send(bytes);
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

/** The files by their path, read once for all servers of the process; none where the console is not built. */
let known: ReadonlyMap<string, PageFile> | undefined;

function builtFiles(): ReadonlyMap<string, PageFile> {
  known ??= new Map(fileNames().map(([name, path]) => [name, readPageFile(path)]));
  return known;
}

/** The files of the page that calls a control plane and the endpoints of its indexes. */
function hostedFiles(): ReadonlyMap<string, PageFile> {
  const files = builtFiles();
  const page = files.get('index.html');
  if (page === undefined) return files;
  const [built, hosted] = SERVICE;
  const bytes = Buffer.from(page.bytes.toString('utf8').replace(built, hosted));
  return new Map([...files, ['index.html', pageFile(page.type, bytes)]]);
}

function fileNames(): readonly (readonly [name: string, path: string])[] {
  try {
    const folder = join(
      dirname(createRequire(import.meta.url).resolve('@pelorus/console/package.json')),
      'dist',
      'site',
    );
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(folder.length + 1).replaceAll('\\', '/'), path];
      });
  } catch {
    return [];
  }
}

function readPageFile(path: string): PageFile {
  return pageFile(TYPES[extname(path)] ?? 'application/octet-stream', readFileSync(path));
}

const pageFile = (type: string, bytes: Buffer): PageFile => ({ type, bytes, gzipped: gzipSync(bytes, { level: 9 }) });
