import { runProgram } from '../terminal/run-program.js';
import { buildClientProgram } from './program.js';

await runProgram(buildClientProgram());
