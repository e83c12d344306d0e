import { endWithTerminal } from '@vantage/shared/lost-terminal.js';
import { buildProgram } from './program.js';
import { runProgram } from './terminal/run-program.js';

endWithTerminal(process);
await runProgram(buildProgram());
