import { runProgram } from '../terminal/run-program.js';
import { buildClientProgram } from './program.js';

// Entry of the client as one file. It is CommonJS, which runs under any name, and has no await at its top level.
void runProgram(buildClientProgram());
