import type { OwnLimit } from '../../../http/route.js';

/** Limit of attempts to sign in and of requests for mails. */
export const signInLimit: OwnLimit = { name: 'sign-in', limit: 30, per: 'minute', from: 'address' };

export const registrationLimit: OwnLimit = { name: 'registration', limit: 20, per: 'hour', from: 'address' };
