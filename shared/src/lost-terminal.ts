import { isatty } from 'node:tty';

/**
 * Ends a program by SIGHUP, as one without a handler ends, if its terminal is closed by the time it exits. Node.js resets the terminal at an
 * ordinary exit and aborts where there is none any more (Node.js 20.20, `ResetStdio`), so that a shell reports 134 or 139.
 */
export function endWithTerminal(program: Pick<NodeJS.Process, 'on' | 'removeAllListeners' | 'kill' | 'pid'>): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  program.on('exit', () => {
    // one that was closed is no terminal: every question about it fails
    if (terminals.every((fd) => isatty(fd))) return;
    program.removeAllListeners('SIGHUP');
    program.kill(program.pid, 'SIGHUP');
  });
}
