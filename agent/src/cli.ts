import { exitWhenOutputCloses } from '@vantage/shared/closed-output.js';
import { endWithTerminal } from '@vantage/shared/lost-terminal.js';
import { complaintText } from '@vantage/shared/terminal/complaint-text.js';
import { judgeError } from './commands/judge-error.js';
import { readEnv } from './config.js';
import { type ExitName, exitCodes } from './exit-codes.js';
import { buildProgram } from './program.js';

// Entry point of vantage-agent. Every failure is reported as one line and an exit code of exit-codes.ts.

exitWhenOutputCloses(process);
endWithTerminal(process);
let outcome: ExitName = 'ok';
try {
  await buildProgram((exit) => {
    outcome = exit;
  }).parseAsync();
} catch (error) {
  const { exit, message } = judgeError(error);
  if (message !== null) process.stderr.write(complaintText('vantage-agent', message, process.stderr, readEnv()));
  outcome = exit;
}
// a socket that is slow to close must not keep a finished command alive
process.exit(exitCodes[outcome].code);
