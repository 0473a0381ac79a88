/** The list of what must be there, and its copies. */
export const INVENTORIES = ['inventory.json', 'inventory.copy-1.json', 'inventory.copy-2.json'];
