import { serveParent } from './child-loop.js';
import { openLocalRoom } from './local-room.js';

// Entry of the measuring child, forked by MeasuringProcess.
serveParent(async (options) => {
  const room = await openLocalRoom(options);
  // loading leaves 11 MB of garbage, which nothing would ever collect in an idle process
  globalThis.gc?.();
  return room;
});
