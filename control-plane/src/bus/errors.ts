/** The message server cannot be used; the message gives the reason and the remedy, without credentials. */
export class MessageServerError extends Error {
  override readonly name = 'MessageServerError';
}
