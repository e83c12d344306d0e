import { defineModule } from '../module.js';
import { StreamMetrics } from './metrics.js';
import { streamEvents } from './routes/stream.js';
import { Streams } from './streams.js';

/** The stream of events of an account. */
export const streamModule = defineModule({
  name: 'stream',
  tags: { Events: 'A stream of what happens in an account.' },
  routes: [streamEvents],
  metrics: StreamMetrics,
  open({ config, db, agentsDb, bus, clock, log, publicUrl, authentication, registry }, { monitors }) {
    const streams = new Streams({
      db: agentsDb,
      pools: [db, agentsDb],
      bus,
      clock,
      log: log.child({ part: 'streams' }),
      publicUrl,
      authentication,
      live: monitors.live,
      most: config.streams,
    });
    new StreamMetrics(registry).watchStreams(() => streams.count);
    return { service: streams, startables: [streams] };
  },
});

declare module '../../http/route.js' {
  interface Services {
    readonly stream: Streams;
  }
}
