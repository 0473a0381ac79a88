import type { Server } from 'node:http';

const SWEEP_MS = 20;
/** Longest wait for requests under way. Their writes are safe without the wait, only the answers are lost. */
export const DRAIN_MAX_MS = 30_000;

/**
 * Closes a server that `close` shuts for new connections: answers requests under way, and ends each kept connection as
 * soon as it falls idle rather than when its client lets go of it.
 * @param maxMs after which requests under way are given up
 */
export async function drain(server: Server, close: () => Promise<unknown>, maxMs = DRAIN_MAX_MS): Promise<void> {
  // Not before it closes: what its own hooks wait for may be under way on a connection that seems idle.
  const sweep = setInterval(() => {
    if (!server.listening) server.closeIdleConnections();
  }, SWEEP_MS);
  const giveUp = setTimeout(() => server.closeAllConnections(), maxMs);
  try {
    await close();
  } finally {
    clearInterval(sweep);
    clearTimeout(giveUp);
  }
}
