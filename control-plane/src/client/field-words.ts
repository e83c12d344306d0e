import { ApiRefusal } from './api-client.js';

/** Awaits a request; a refusal names its fields, and says what is wrong, in words of the command. @throws ApiRefusal, ApiUnreachable */
export async function inWords<T>(
  request: Promise<T>,
  wordOf: (field: string) => string,
  textOf = (_word: string, message: string) => message,
): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    const details = Object.fromEntries(
      Object.entries(error.details).map(([field, all]) => {
        const word = wordOf(field);
        return [word, all.map(({ message }) => ({ message: textOf(word, message) }))];
      }),
    );
    throw new ApiRefusal(error.status, error.code, error.message, details, error.allowance);
  }
}
