import { serveThread } from '@vantage/shared/thread.js';
import { buffersOf, ListReader } from '../reputation/list-reader.js';
import type { ListMessages } from './list-content.js';

// Entry point of a thread that reads one list: a million lines take seconds to read and sort.

serveThread<ListMessages>((format) => {
  const reader = new ListReader(format);
  return {
    opened: null,
    push: (piece) => reader.push(piece),
    end: (_end, transfer) => {
      const list = reader.end();
      for (const buffer of buffersOf(list)) transfer(buffer);
      return list;
    },
    close: () => {},
  };
});
