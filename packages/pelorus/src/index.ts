export { type Hit, type Index, type OpenOptions, open, type Pelorus, RequestFailure } from './open.js';
