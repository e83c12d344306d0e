import { type TSchema, Type } from 'typebox';

/** What a schema takes, or null; `description` says what null means. */
export const nullable = <S extends TSchema>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description });
