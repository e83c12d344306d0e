/** Text of a response; of a stream, which may never end, its first events. */
export async function answerText(response: Response): Promise<string> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream) return response.text();
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (/^data: .*\n\n/m.test(text)) break;
  }
  return text.slice(0, text.lastIndexOf('\n\n') + 2);
}
