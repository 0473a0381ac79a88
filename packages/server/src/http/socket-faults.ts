import type { Socket } from 'node:net';
import { type ErrorCode, PelorusError } from '@pelorus/contract';

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const phrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Answers bytes that are no request, or not one in time, straight on the socket, and closes it. */
export function answerSocketFault(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = codes[error.code ?? ''] ?? 'bad_request';
  const fault = new PelorusError(code, 'The connection did not carry a complete HTTP request');
  const body = JSON.stringify(fault.toBody());
  socket.end(
    `HTTP/1.1 ${fault.status} ${phrases[fault.status]}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
