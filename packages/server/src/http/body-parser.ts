import type { FastifyInstance } from 'fastify';

/** Leaves every body unread, whatever its content type: {@link withBody} reads those that an operation takes. */
export function installBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // Fastify keeps what it found for a type only where that has a name: without its own, JSON would be taken apart each time.
  app.addContentTypeParser(['application/json', '*'], (_request, _payload, done) => done(null));
  // Getting many documents is a GET whose body holds the ids.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
}

/** Tells whether a body of this content type is JSON; one without a type is taken for it. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType.trim() === '') return true;
  const type = mediaType(contentType);
  return type === 'application/json' || /^application\/[^/]+\+json$/.test(type);
}

export function isPlainText(contentType: string | undefined): boolean {
  return contentType !== undefined && mediaType(contentType) === 'text/plain';
}

function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
