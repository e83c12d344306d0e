import { effect } from '@preact/signals';
import { render } from 'preact';
import { accessToken, person } from './api/session.js';
import { followStream } from './api/stream.js';
import { App } from './shell/app.js';
import { followProfile } from './texts/locale.js';

effect(() => {
  if (person.value) followProfile(person.value.locale);
});
// without an answer, the public parts of the console work as for nobody
accessToken().catch(() => {
  person.value ??= null;
});

followStream();

const place = document.getElementById('console');
if (place !== null) {
  place.textContent = '';
  render(<App />, place);
}
