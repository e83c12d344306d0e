import { serveThread } from '@vantage/shared/thread.js';
import { openSchedule } from './schedule-database.js';
import type { ScheduleMessages } from './schedule-thread.js';

// Entry point of the thread of the schedule: it owns the file, so that a slow disk delays nothing else.

serveThread<ScheduleMessages>(({ path, isSuspect }) => {
  const { database, stored, setAside } = openSchedule(path, { isSuspect });
  return {
    opened: { stored, setAside },
    save: (batch) => database.save(batch),
    close: () => database.close(),
  };
});
