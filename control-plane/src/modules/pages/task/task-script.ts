/**
 * Script of the page of a probe: while the probe runs, each event of its stream has the page read again and its content
 * replaced, so that there is one renderer. A stream that breaks or is refused is replaced by a look every three seconds. Buttons copy
 * the commands; without scripts there are none, and the commands are selected by a click.
 */
export const taskScript = `'use strict';
const copyFrom = async (button) => {
  const text = button.parentElement.querySelector('pre').innerText;
  const label = button.textContent;
  await navigator.clipboard.writeText(text);
  button.textContent = button.dataset.done;
  setTimeout(() => { button.textContent = label; }, 2000);
};
const prepare = () => {
  for (const button of document.querySelectorAll('button[data-done]')) {
    button.hidden = !navigator.clipboard;
    button.onclick = () => copyFrom(button);
  }
};
prepare();
const isRunning = () => document.querySelector('main [data-events]') !== null;
let isReading = false, isStale = false;
const read = async () => {
  if (isReading) { isStale = true; return; }
  isReading = true;
  try {
    const response = await fetch(location.href, { headers: { Accept: 'text/html' } });
    if (response.ok) {
      const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
      document.querySelector('main').replaceChildren(...fresh.querySelector('main').childNodes);
      prepare();
    }
  } catch { isStale = true; }
  isReading = false;
  if (isStale) { isStale = false; setTimeout(read, 500); }
};
if (isRunning()) {
  const source = new EventSource(document.querySelector('main [data-events]').dataset.events);
  const poll = () => { if (isRunning()) read().then(() => setTimeout(poll, 3000)); };
  source.addEventListener('probe.result', read);
  source.addEventListener('probe.done', () => { source.close(); setTimeout(poll, 1000); read(); });
  source.onerror = () => { source.close(); poll(); };
}
`;
