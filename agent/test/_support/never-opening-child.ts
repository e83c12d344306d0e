// A measuring child whose engines are never loaded, for tests of its parent. Forked by MeasuringProcess.
import { serveParent } from '../../src/measuring/child-loop.js';

serveParent(({ onCapabilities }) => {
  onCapabilities(['icmp']);
  return new Promise(() => undefined);
});
