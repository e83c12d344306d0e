import { main } from '../index.js';

// The command `bench` without its set-up, which would build the project again under the other tests.
process.exitCode = await main(process.argv.slice(2));
