import { hash } from '@node-rs/argon2';

// OWASP's first choice for argon2id: 19 MiB, two passes, one lane; about 20 ms here
const PARAMETERS = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** Shortest password accepted (API specification 8). */
export const MIN_PASSWORD_LENGTH = 8;

/** argon2id hash in PHC form (RFC 9106). */
export function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS);
}
