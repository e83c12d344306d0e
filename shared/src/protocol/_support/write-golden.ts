import { writeMissingGoldenFrames } from './golden-frames.js';

// node shared/dist/src/protocol/_support/write-golden.js: see docs/protocol.md, "Adding a field"
const names = writeMissingGoldenFrames();
process.stdout.write(names.length === 0 ? 'every golden frame has its bytes\n' : `wrote ${names.join(', ')}\n`);
