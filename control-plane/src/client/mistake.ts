/** Words of a command that its server never sees; the message says what to write. */
export class Mistake extends Error {
  override readonly name = 'Mistake';
}
