import { ApiRefusal } from './api-client.js';

/** Awaits a request; a refusal names its fields by the words of the command. @throws ApiRefusal, ApiUnreachable */
export async function inWords<T>(request: Promise<T>, wordOf: (field: string) => string): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    const details = Object.fromEntries(Object.entries(error.details).map(([field, all]) => [wordOf(field), all]));
    throw new ApiRefusal(error.status, error.code, error.message, details, error.allowance);
  }
}
