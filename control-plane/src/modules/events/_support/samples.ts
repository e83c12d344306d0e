import { type Samples } from '../../../../test/_support/samples.js';

export const samples: Samples = {
  rows: [
    {
      table: 'outbox',
      paths: [],
      create: 'side effect',
      keptOfDeleted: ['false', 'events are deleted after an hour, when they are delivered'],
    },
  ],
};
