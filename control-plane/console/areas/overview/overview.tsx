import { person } from '../../api/session.js';
import type { View } from '../../shell/areas.js';
import { shellTexts } from '../../shell/texts.js';

function Overview() {
  return (
    <section>
      <h1>{shellTexts().overview}</h1>
      <p>{person.value?.email}</p>
    </section>
  );
}

export const views: readonly View[] = [{ path: '/', view: Overview }];
