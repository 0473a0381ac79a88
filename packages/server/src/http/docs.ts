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
  app.register(swagger, { mode: 'static', specification: { document: JSON.parse(bytes.toString('utf8')) } });
  app.register(swaggerUi, { routePrefix: '/docs', staticCSP: docsPolicy });
  app.get('/openapi.json', { exposeHeadRoute: false, schema: { hide: true } }, (_request, reply) =>
    reply.header('content-type', 'application/json').send(bytes),
  );
  app.get('/redoc', { exposeHeadRoute: false, schema: { hide: true } }, (_request, reply) =>
    reply.redirect('/docs', 307),
  );
}
