import { serveParent } from './child-loop.js';
import { openLocalRoom } from './local-room.js';

// Entry point of the measuring child, forked by MeasuringProcess.
serveParent(async (options) => {
  const room = await openLocalRoom(options);
  // loading leaves 11 MB of garbage, which an idle process would never collect
  globalThis.gc?.();
  return room;
});
