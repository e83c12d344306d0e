/** Returns the promise's own outcome, or a rejection naming `what` if it takes longer than `deadlineMs`. */
export async function within<T>(what: string, promise: Promise<T>, deadlineMs = 60_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${deadlineMs} ms without success for ${what}`)), deadlineMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
