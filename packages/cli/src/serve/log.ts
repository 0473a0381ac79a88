import { type Config, createLog } from '@pelorus/server';

type Log = ReturnType<typeof createLog>;

/** The log of a server: lines for people on a terminal, elsewhere one JSON object each. */
export async function logOf(config: Pick<Config, 'logLevel'>): Promise<Log> {
  if (!process.stdout.isTTY) return createLog(config);
  return createLog(config, await prettyStream(process.stdout));
}

/** A stream that writes lines of the log as people read them. */
export async function prettyStream(destination: NodeJS.WritableStream & { hasColors?(): boolean }) {
  const { PinoPretty } = await import('pino-pretty');
  return PinoPretty({
    destination,
    colorize: destination.hasColors?.() ?? false,
    ignore: 'pid,hostname,reqId',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    sync: true,
  });
}
