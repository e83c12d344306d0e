/** The payload of an event is not what its kind says; values are not repeated. */
export class EventPayloadError extends Error {
  override readonly name = 'EventPayloadError';

  constructor(kind: string, fields: readonly string[]) {
    super(`the payload of a "${kind}" event is wrong in ${fields.map((field) => `"${field}"`).join(', ')}`);
  }
}
