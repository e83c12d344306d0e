import { Type } from 'typebox';
import { jobStates } from '../../jobs/job-state.js';

/** A state of a job, in queries and responses. */
export const JobStateSchema = Type.Enum([...jobStates], {
  type: 'string',
  description:
    'ready: runs as soon as a replica is free. running: a replica runs it. waiting: runs at `run_at` or later, usually after a failure. dead: has failed for good.',
});

/** A type of job; any string, since the queue may contain jobs of types that another version defines. */
export const JobTypeSchema = Type.String({ maxLength: 128, description: 'Kind of work, for example mail.send.' });

/** A job as administrators see it, without its payload. */
export const JobSchema = Type.Object(
  {
    id: Type.String({ description: 'Job id.' }),
    type: JobTypeSchema,
    state: JobStateSchema,
    attempts: Type.Integer({ description: 'Attempts begun so far.' }),
    max_attempts: Type.Integer({ description: 'Number of failed attempts after which the job is dead.' }),
    created_at: Type.String({ format: 'date-time' }),
    run_at: Type.String({ format: 'date-time', description: 'Earliest time of the next attempt.' }),
    last_error: Type.Union([Type.String(), Type.Null()], {
      description: 'Reason of the last failure; null: it has not failed.',
    }),
  },
  { additionalProperties: false, title: 'Job' },
);
