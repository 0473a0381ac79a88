const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for people, in powers of a thousand: `87.4 MB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(unit === 0 || value >= 99.95 ? 0 : 1)} ${UNITS[unit]}`;
}

/** A whole number for people: `1,200`. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A noun after its count: `1 document`, `2 documents`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}
