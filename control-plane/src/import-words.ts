// Apart from what they stand for: the help of a command needs these words alone.

/** Kinds of files that monitors are read from. */
export const importFormatNames = ['vantage', 'uptime-kuma', 'gatus'] as const;
export type ImportFormatName = (typeof importFormatNames)[number];

/** What becomes of a monitor whose name another one has. */
export const importModes = ['skip', 'rename', 'replace'] as const;
export type ImportMode = (typeof importModes)[number];
