/** Bits of `flags` of a check. */
export const checkFlags = { superseded: 1, asked: 2, late: 4 } as const;
