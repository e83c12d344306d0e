import { serveThread } from '@vantage/shared/thread.js';
import { findSetAside } from './database.js';
import { SpoolFile } from './spool-file.js';
import type { SpoolMessages } from './spool-thread.js';

// Entry point of the thread of the spool, which owns the file.

serveThread<SpoolMessages>((options) => {
  const file = new SpoolFile(options);
  return {
    opened: {
      head: file.head,
      snapshot: file.snapshot(),
      setAside: findSetAside(options.folder),
      damage: file.damage,
    },
    commit: (request) => file.commit(request),
    read: (request, transfer) => {
      const reply = file.read(request);
      transfer(reply.payloads.buffer);
      return reply;
    },
    close: () => file.close(),
  };
});
