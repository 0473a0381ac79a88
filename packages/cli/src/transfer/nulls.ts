/** Fates of fields that are null. */
export const NULLS = ['drop', 'refuse'] as const;
export type Nulls = (typeof NULLS)[number];
