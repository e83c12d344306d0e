import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

// tap follows every promise and every handle, to find which test an uncaught exception belongs to: a tenth of the time
// of all tests. Here an exception ends the process instead, and is reported with its stack as the failure of its file.
// Must be imported before tap.
const idle = { enable: () => idle, disable: () => idle };
asyncHooks.createHook = () => idle;
syncBuiltinESMExports();
