import { compileSchema } from '@vantage/shared/validation.js';
import type { Static, TSchema } from 'typebox';
import type { Logger } from '../log.js';

/** What jobs work with. Each folder with a job type adds what its jobs need by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: job types merge their needs into it
export interface JobServices {}

/** One run of a job. */
export interface JobContext extends JobServices {
  readonly jobId: string;
  /** 1 for the first time. */
  readonly attempt: number;
  /** Aborted when this replica stops and can't wait any longer: the job is then run again by another one. */
  readonly signal: AbortSignal;
  /** Every line carries the job's id and type. */
  readonly log: Logger;
}

/** A kind of work that is done after the transaction that asked for it, at least once. */
export interface JobDefinition<N extends string = string, P extends TSchema = TSchema> {
  /** `what.does` */
  readonly name: N;
  /** What the queue stores in the clear: no secret, no address of a person. */
  readonly payload: P;
  /** Runs at most; after the last failure the job is dead. */
  readonly maxAttempts: number;
  /**
   * Does the work. It may be called again after it has succeeded: when the process died before that was written. The
   * message of what it throws is stored and shown to administrators, so it names no secret and no person.
   * @throws PermanentFailure when trying again is of no use; any other error is tried again
   */
  run(payload: Static<P>, context: JobContext): Promise<void>;
}

/** A definition that checks what it is given. */
export interface JobType<N extends string = string, P extends TSchema = TSchema> extends JobDefinition<N, P> {
  /** @throws JobPayloadError */
  parse(payload: unknown): Static<P>;
}

/** Any job type, for lists. */
// biome-ignore lint/suspicious/noExplicitAny: jobs are contravariant in their payload
export type AnyJobType = JobType<string, any>;

/** Types a definition from its schema, which is compiled when the first payload comes. */
export function defineJob<const N extends string, P extends TSchema>(definition: JobDefinition<N, P>): JobType<N, P> {
  let check: ReturnType<typeof compileSchema<P>> | null = null;
  return {
    ...definition,
    parse(payload) {
      check ??= compileSchema(definition.payload);
      const checked = check(payload);
      if (!checked.ok) throw new JobPayloadError(definition.name, Object.keys(checked.details));
      return checked.value;
    },
  };
}

/** The job can't succeed, however often it is tried. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}

/** A payload is not what its job type takes; its values are not repeated. */
export class JobPayloadError extends PermanentFailure {
  constructor(type: string, fields: readonly string[]) {
    super(`the payload of a "${type}" job is wrong in ${fields.map((field) => `"${field}"`).join(', ')}`);
  }
}
