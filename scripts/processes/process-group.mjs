/** Windows has no process groups: there the process alone is meant. */
const target = (id) => (process.platform === 'win32' ? id : -id);

/** Ends a process and all that it started in its group, at once. None left is no fault. */
export function endGroup(id) {
  try {
    process.kill(target(id), 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Tells whether any process of the group is left. */
export function isGroupAlive(id) {
  try {
    process.kill(target(id), 0);
    return true;
  } catch {
    return false;
  }
}
