import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { type Operation, openapiDocument } from '@pelorus/contract';
import type { FastifyInstance } from 'fastify';
import { docsPolicy } from './security-headers.js';

/**
 * Serves the contract of `operations`: the document at `/openapi.json`, a page to read and try it at `/docs`, where
 * `/redoc`, an older page, leads too.
 */
export function serveDocs(app: FastifyInstance, operations: readonly Operation[]): void {
  const bytes = openapiDocument(new Set(operations.map(({ operationId }) => operationId)));
  serveAsItIs(app, bytes);
  app.register(swagger, { mode: 'static', specification: { document: JSON.parse(bytes.toString('utf8')) } });
  app.register(swaggerUi, { routePrefix: '/docs', staticCSP: docsPolicy });
  app.get('/openapi.json', { exposeHeadRoute: false, schema: { hide: true } }, (_request, reply) =>
    reply.header('content-type', 'application/json').send(bytes),
  );
  app.get('/redoc', { exposeHeadRoute: false, schema: { hide: true } }, (_request, reply) =>
    reply.redirect('/docs', 307),
  );
}

/** The page's own routes would write the document anew for whoever asks. JSON is YAML as well (YAML 1.2, 1.3). */
function serveAsItIs(app: FastifyInstance, bytes: Buffer): void {
  const types: Readonly<Record<string, string>> = {
    '/docs/json': 'application/json',
    '/docs/yaml': 'application/yaml',
  };
  app.addHook('onRoute', (route) => {
    const type = types[route.url];
    if (type !== undefined) route.handler = (_request, reply) => reply.header('content-type', type).send(bytes);
  });
}
