import { type AddressInfo, createServer } from 'node:net';
import { ExitCode, StartFailure } from '../start-failure.js';

/**
 * Fails when nothing can listen on `host:port`. Asked before the data directory is opened, so that a
 * second start by mistake touches nothing.
 *
 * @returns the address that `host` stands for
 */
export async function requireFreePort(host: string, port: number): Promise<string> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, host, port);
  }
  const { address } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return address;
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): StartFailure {
  if (error.code === 'EADDRINUSE') {
    const message = `port ${port} on ${host} is in use: is another server running? Choose another with --port`;
    return new StartFailure(ExitCode.PORT_IN_USE, message);
  }
  return new StartFailure(ExitCode.BAD_CONFIGURATION, `cannot listen on ${host}:${port}: ${error.message}`);
}
