import { compileSchema } from '@vantage/shared/validation.js';
import type { Static, TSchema } from 'typebox';
import type { Logger } from '../runtime/log.js';

/** Job types of every module. Each folder with a job type adds its own by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: job types merge themselves into it
export interface JobTypesOfModules {}

/** Job type that replicas run. NOTE: a type may be removed when no replica and no database has such jobs any more. */
export type ListedJobType = JobTypesOfModules[keyof JobTypesOfModules];

/** Services that jobs use. Each folder with a job type adds its own by declaration merging. */
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
  /** Schema of the payload, which the queue stores unencrypted: no secret, no address of a person. */
  readonly payload: P;
  /** Runs at most; after the last failure the job is dead. */
  readonly maxAttempts: number;
  /**
   * Does the work. It may be called again after it has succeeded, if the process died before that was written. The
   * message of an error is stored and shown to administrators, so it names no secret and no person.
   * @throws PermanentFailure if another attempt is useless; any other error is retried
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

/** Types a definition from its schema. */
export function defineJob<const N extends string, P extends TSchema>(definition: JobDefinition<N, P>): JobType<N, P> {
  const check = compileSchema(definition.payload);
  return {
    ...definition,
    parse(payload) {
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
