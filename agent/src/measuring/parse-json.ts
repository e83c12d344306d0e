/** The value of a JSON text; null for text that is not JSON, which no schema here takes. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
