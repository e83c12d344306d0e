import { PasswordHasher } from '../../src/modules/accounts/passwords/passwords.js';

/** Hashes passwords of a test, which protect nothing, at the least cost: a two hundredth of the full one. */
export const cheapHasher = () => new PasswordHasher({ memoryCost: 8, timeCost: 1, parallelism: 1 });
