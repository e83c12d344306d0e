import { exitWhenOutputCloses } from '@vantage/shared/closed-output.js';
import { endWithTerminal } from '@vantage/shared/lost-terminal.js';
import { plainText } from '@vantage/shared/terminal/plain-text.js';
import { withProgramCalls } from '@vantage/shared/terminal/program-call.js';
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
  if (message !== null)
    process.stderr.write(`${plainText(`vantage-agent: ${withProgramCalls(message, readEnv())}`)}\n`);
  outcome = exit;
}
// a socket that is slow to close must not keep a finished command alive
process.exit(exitCodes[outcome].code);
