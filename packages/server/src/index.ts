export type { Config } from './config.js';
export { ConfigError, readConfig, settings } from './config.js';
export { logEngine } from './engine-log.js';
export { engineOptions } from './engine-options.js';
export { isLoopback } from './http/site-guard.js';
export { withoutUrlSecrets } from './http/url-secrets.js';
export type { Preload } from './preloads.js';
export type { ServerParts } from './server.js';
export { createServer } from './server.js';
