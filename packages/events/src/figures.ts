/** The tables of figures without the events that they are made of: for measurements over more than anyone waits for. */
export { Sums } from './contributions.js';
export { FiguresFile } from './figures-file.js';
