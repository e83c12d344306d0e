/** Message to a process that runs test files: the next file (compiled, from the working directory), or `end`. */
export type ToHost = { readonly file: string; readonly timeoutSeconds: number } | 'end';

/**
 * Message from it: a chunk of its TAP; or, when a file has ended, the process's memory in bytes. tap itself sends
 * other messages, about timeouts.
 */
export type FromHost = { readonly tap: string } | { readonly rss: number } | { readonly setTimeout: number };
