/** Exit code that a shell reports for a program ended by SIGPIPE. */
const SIGPIPE_EXIT_CODE = 141;

/**
 * Ends a command line program without a word when the reader of its output has gone (`… | head`), as SIGPIPE ends
 * others: Node ignores that signal and would throw instead. A terminal that is closed sends SIGHUP, which ends the program. Any other
 * failure to write is thrown as ever.
 */
export function exitWhenOutputCloses(program: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit'>): void {
  for (const stream of [program.stdout, program.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EIO' && stream.isTTY) return;
      if (error.code !== 'EPIPE') throw error;
      program.exit(SIGPIPE_EXIT_CODE);
    });
  }
}
