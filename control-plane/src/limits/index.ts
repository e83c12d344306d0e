export { SharedWindows } from './shared-windows.js';
export { deleteEndedWindows } from './store.js';
export { WindowLimiter } from './window-limiter.js';
