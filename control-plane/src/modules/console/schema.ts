import { Type } from 'typebox';
import { ProfileSchema } from '../accounts/index.js';

/** Access token of the console and its person. */
export const ConsoleTokenSchema = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    /** Validity in seconds. */
    expires_in: Type.Integer(),
    user: ProfileSchema,
    role: Type.Enum(['user', 'admin'], { type: 'string' }),
  },
  { additionalProperties: false },
);
