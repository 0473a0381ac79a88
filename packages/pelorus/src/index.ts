export * from '@pelorus/client';
export { type OpenOptions, OpenPelorus, open } from './open.js';
