/** The message server can't be used; the message says why and what to do, without credentials. */
export class MessageServerError extends Error {
  override readonly name = 'MessageServerError';
}
