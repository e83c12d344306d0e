import { buildProgram } from './program.js';
import { runProgram } from './terminal/run-program.js';

await runProgram(buildProgram());
