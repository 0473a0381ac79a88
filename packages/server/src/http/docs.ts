import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { openapiDocument } from '@pelorus/contract';
import type { FastifyInstance } from 'fastify';
import { docsPolicy } from './security-headers.js';

/** Serves the contract: the document at `/openapi.json`, a page to read and try it at `/docs`. */
export function serveDocs(app: FastifyInstance): void {
  const bytes = openapiDocument();
  app.register(swagger, { mode: 'static', specification: { document: JSON.parse(bytes.toString('utf8')) } });
  app.register(swaggerUi, { routePrefix: '/docs', staticCSP: docsPolicy });
  app.get('/openapi.json', { exposeHeadRoute: false, schema: { hide: true } }, (_request, reply) =>
    reply.header('content-type', 'application/json').send(bytes),
  );
}
