// Separate from their implementation: the help of a command needs only these words.

/** Kinds of files that monitors are read from. */
export const importFormatNames = ['vantage', 'uptime-kuma', 'gatus'] as const;
export type ImportFormatName = (typeof importFormatNames)[number];

/** Treatment of an imported monitor whose name another one already has. */
export const importModes = ['skip', 'rename', 'replace'] as const;
export type ImportMode = (typeof importModes)[number];
