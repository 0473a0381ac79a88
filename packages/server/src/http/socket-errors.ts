import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, PelorusError } from '@pelorus/contract';
import { securityHeaders } from './security-headers.js';

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const messages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The request line and the headers exceed the limit of ${maxHeaderSize} bytes, taken together`,
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive',
};

const phrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
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
  const body = JSON.stringify(answered.toBody());
  socket.end(
    `HTTP/1.1 ${answered.status} ${phrases[answered.status]}\r\ncontent-type: application/json\r\n` +
      `${headerLines}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
