import { defineModule } from '../module.js';
import { eventActions } from './actions.js';
import { FailedEvents } from './index.js';

/** Acts of operators on events between modules. */
export const eventsModule = defineModule({
  name: 'events',
  actions: eventActions,
  open: ({ db }) => ({ service: new FailedEvents(db) }),
});
