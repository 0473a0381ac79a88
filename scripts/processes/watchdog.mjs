// Reads lines `+ID` and `-ID`, processes that began and ended, and ends those that are left when its input ends:
// the system closes the pipe of the process that wrote them, even one that was killed.
import { createInterface } from 'node:readline';
import { endGroup } from './process-group.mjs';

const running = new Set();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const id = Number(line.slice(1));
    if (line.startsWith('+')) running.add(id);
    else running.delete(id);
  })
  .on('close', () => {
    for (const id of running) endGroup(id);
  });
