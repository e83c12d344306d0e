import type { OwnLimit } from '../../../http/route.js';

/** Limit of attempts to sign in and of requests for mails. */
export const signInLimit: OwnLimit = { name: 'sign-in', limit: 30, per: 'minute', from: 'address' };

/** Limit of a device that waits for its approval, twice as many as it needs. */
export const qrPollLimit: OwnLimit = { name: 'qr-poll', limit: 120, per: 'minute', from: 'address' };

export const registrationLimit: OwnLimit = { name: 'registration', limit: 20, per: 'hour', from: 'address' };
