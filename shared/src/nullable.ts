import { type TSchema, Type } from 'typebox';

/** Schema for the given schema's values or null; `description` explains null. */
export const nullable = <S extends TSchema>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description });
