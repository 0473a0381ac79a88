/** ISO 8601 with a time and an offset: no two readers take it for different moments. */
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

/** Tells whether a text is a moment. */
export function isMoment(text: string): boolean {
  return moment.test(text) && !Number.isNaN(Date.parse(text));
}
