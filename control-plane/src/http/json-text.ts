/**
 * Data of a response that is already JSON, in pieces: for data so large that writing it in one turn of the event loop
 * would delay all other requests.
 */
export class JsonText {
  constructor(readonly pieces: readonly Buffer[]) {}

  /** The value itself. Tests compare it with the schema of its route. */
  toJSON(): unknown {
    return JSON.parse(Buffer.concat(this.pieces).toString());
  }
}
