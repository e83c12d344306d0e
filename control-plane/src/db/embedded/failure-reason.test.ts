import t from 'tap';
import { reasonOf } from './failure-reason.js';

const cases = [
  {
    name: 'the line with the error, whatever is around it',
    output:
      'LOG:  starting\nFATAL:  lock file "postmaster.pid" already exists\nHINT:  Is another postmaster running?\n',
    reason: 'lock file "postmaster.pid" already exists',
  },
  {
    name: "initdb's own errors",
    output: 'initdb: error: could not access directory "/data": Permission denied\n',
    reason: 'could not access directory "/data": Permission denied',
  },
  {
    name: 'a full disk, with what to do',
    output: 'FATAL:  could not write\nDETAIL: wrote 4096: No space left on device\n',
    reason: /^the disk is full; free some space.*No space left on device\)$/,
  },
  {
    name: "a full disk in Node's words",
    output: 'Error: ENOSPC: no space left on device, write',
    reason: /^the disk is full/,
  },
  { name: 'the last line when none is an error', output: 'LOG:  one\nLOG:  two\n\n', reason: 'LOG:  two' },
  { name: 'the exit code when nothing was said', output: '\n', reason: 'exit code 3' },
];

for (const { name, output, reason } of cases) {
  t.test(`gives ${name}`, async (t) => t.match(reasonOf(output, 3), reason));
}
