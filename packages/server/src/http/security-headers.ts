import type { FastifyInstance } from 'fastify';

/**
 * Headers by which every answer tells a browser to take it for the type it says, to keep no copy, to name this server
 * to nobody, and to hand it to no page of another origin. Only files of the documentation set a `cache-control` of
 * their own.
 */
export const securityHeaders = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/**
 * The policy of the documentation page: it may load its own files, inline styles (Swagger UI writes some) and images
 * that are written out; it calls this server; and it is shown in no frame, where another page could lead clicks to it.
 */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The policy of the console: it loads its own files and calls this server, and nothing else leaves the page. Pictures of
 * hits are shown where they are written out or lie at this address. Nothing makes HTML of a text.
 */
export const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/**
 * Gives every answer of a route or of none its security headers. An answer that bypasses the hooks sets them itself.
 */
export function setSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
}
