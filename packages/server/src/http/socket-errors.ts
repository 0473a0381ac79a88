import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, PelorusError } from '@pelorus/contract';
import { errorBytes } from './errors.js';
import { securityHeaders } from './security-headers.js';

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const messages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The request line and the headers exceed the limit of ${maxHeaderSize} bytes, taken together`,
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive',
};

const headerLines = Object.entries(securityHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/** Answers bytes that are no request, or not one in time, straight on the socket, and closes it. */
export function answerSocketError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const reason = error.code ?? '';
  const message = messages[reason] ?? 'The connection did not carry a complete HTTP request';
  const answered = new PelorusError(codes[reason] ?? 'bad_request', message);
  socket.end(errorAnswer(answered, { connection: 'close' }));
}

/** An error as the bytes of a whole answer, for who has a connection and no request of the framework. */
export function errorAnswer(error: PelorusError, headers: Readonly<Record<string, string>>): Buffer {
  const body = errorBytes(error);
  const lines = Object.entries({ ...error.headers, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head =
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? 'Error'}\r\ncontent-type: application/json\r\n` +
    `${headerLines}${lines.join('')}content-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}
