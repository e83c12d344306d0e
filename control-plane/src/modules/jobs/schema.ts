import { Type } from 'typebox';
import { jobStates } from '../../jobs/job-state.js';

/** A state of a job, as queries and answers name it. */
export const JobStateSchema = Type.Enum([...jobStates], {
  type: 'string',
  description:
    'ready: as soon as a replica is free; running; waiting: not before run_at, mostly after a failure; dead: it has failed for good.',
});

/** A type of job; not a closed list here: the queue may hold types of another version. */
export const JobTypeSchema = Type.String({ maxLength: 128, description: 'What is done, for example mail.send.' });

/** A job as administrators see it; what it carries is not shown. */
export const JobSchema = Type.Object(
  {
    id: Type.String({ description: 'Job id.' }),
    type: JobTypeSchema,
    state: JobStateSchema,
    attempts: Type.Integer({ description: 'Begun so far.' }),
    max_attempts: Type.Integer({ description: 'After as many failures it is dead.' }),
    created_at: Type.String({ format: 'date-time' }),
    run_at: Type.String({ format: 'date-time', description: 'Not before.' }),
    last_error: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed last.' }),
  },
  { additionalProperties: false, title: 'Job' },
);
