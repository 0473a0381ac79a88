import type { Handlers, Services } from '../call.js';

/** The latest lines of the log. */
export function logHandlers({
  recentLog,
  config: { logLevel },
}: Pick<Services, 'recentLog' | 'config'>): Pick<Handlers, 'listLogLines'> {
  return {
    listLogLines: ({ query: { level, after, limit } }) => ({
      body: { logLevel, lines: recentLog.list({ level, after, limit }) },
    }),
  };
}
