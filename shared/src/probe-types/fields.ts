import { type TObject, Type } from 'typebox';
import { nullable } from '../nullable.js';
import { ProbeErrorSchema } from './error-codes.js';

/** The target as given by the caller: a host, host:port or URL, depending on the type. */
export const targetField = (description: string, maxLength = 253 + 6) =>
  Type.String({ minLength: 1, maxLength, description });

/** A spec: `target` says what the target is, `params` are those of the type. */
export const specOf = <P extends TObject>(target: string, params: P) =>
  Type.Object({ target: targetField(target), params }, { additionalProperties: false });

/** Address family to use; `auto` takes what the name resolves to, IPv6 and IPv4 raced where the type connects. */
export const ipVersionParam = Type.Enum(['auto', 'v4', 'v6'], {
  type: 'string',
  default: 'auto',
  description: 'Address family; auto uses any family that the target resolves to.',
});

/** Milliseconds with the bounds of a parameter. */
export const timeoutParam = (minimum: number, maximum: number, fallback: number, description: string) =>
  Type.Integer({ minimum, maximum, default: fallback, description });

export const milliseconds = (description: string) => Type.Number({ minimum: 0, description });
export const nullableMilliseconds = (description: string) => nullable(Type.Number({ minimum: 0 }), description);
export const nullableString = (description: string) => nullable(Type.String(), description);

export const portParam = Type.Integer({ minimum: 1, maximum: 65535, description: 'Port, 1 to 65535.' });
export const resolvedIpField = nullableString('Address that was contacted; null if the name did not resolve.');
export const ipVersionField = Type.Union([Type.Literal(4), Type.Literal(6), Type.Null()], {
  description: '4 or 6; null if no address was contacted.',
});

/** Outcome fields of every node result, whatever the type (API specification 2.7). The agent fills all of them. */
export const outcomeFields = {
  success: Type.Boolean({ description: 'True if the probe succeeded.' }),
  error: Type.Union([ProbeErrorSchema, Type.Null()], { description: 'Null on success.' }),
};
