import fc from 'fast-check';
import type { Knex } from 'knex';
import t from 'tap';
import type { Consumers } from '../src/events/index.js';
import { aReplica, eventDatabase, everythingDue, happens, recording, recordingSets } from './_support/events.js';

t.test(
  'every consumer handles every event once, despite late commits, crashes and failures, on two replicas',
  async (t) => {
    const { db } = await eventDatabase(t);
    const names = ['test.one', 'test.two'] as const;
    const trouble: { next: () => 'failure' | 'death' | null } = { next: () => null };
    const shaky = async (trx: Knex) => {
      const comes = trouble.next();
      if (comes === 'death') await trx.raw('SELECT pg_terminate_backend(pg_backend_pid())');
      if (comes === 'failure') throw new Error('the consumer fails');
    };
    const trembling = { before: (_: string, trx: Knex) => shaky(trx), after: shaky };
    const consumers = [recording(names[0], trembling), recordingSets(names[1], trembling)];
    const replicas = [aReplica(db, ...consumers), aReplica(db, ...consumers)];
    for (const replica of replicas) await replica.start();
    const publishing = fc.record({ kind: fc.constant('publish' as const), subject: fc.nat(3), staysOpen: fc.nat(3) });
    const running = fc.record({
      kind: fc.constant('run' as const),
      who: fc.constantFrom('first' as const, 'second' as const, 'both' as const),
      // every n-th call of a consumer, or none
      troubleEvery: fc.nat(5),
      trouble: fc.constantFrom('failure' as const, 'death' as const),
    });
    let published = 0;
    const property = fc.asyncProperty(
      fc.array(fc.oneof(publishing, running), { minLength: 5, maxLength: 25 }),
      async (steps) => {
        await db('effects').delete();
        const wanted: number[] = [];
        let open: { readonly trx: Knex.Transaction; readonly untilStep: number }[] = [];
        const run = async (acting: readonly Consumers[]) => {
          await everythingDue(db);
          await Promise.all(acting.map((replica) => replica.run().catch(() => {})));
        };
        for (const [index, step] of steps.entries()) {
          if (step.kind === 'publish') {
            published += 1;
            wanted.push(published);
            const trx = await db.transaction();
            await happens(trx, `m_${step.subject}`, published);
            // the pool has five connections
            if (open.length < 2) open.push({ trx, untilStep: index + step.staysOpen });
            else await trx.commit();
          } else {
            let calls = 0;
            const isTrouble = () => step.troubleEvery > 0 && (calls += 1) % (step.troubleEvery + 1) === 0;
            trouble.next = () => (isTrouble() ? step.trouble : null);
            await run(
              step.who === 'both'
                ? replicas
                : replicas.slice(step.who === 'first' ? 0 : 1, step.who === 'first' ? 1 : 2),
            );
            trouble.next = () => null;
          }
          for (const { trx, untilStep } of open) if (untilStep <= index) await trx.commit();
          open = open.filter(({ untilStep }) => untilStep > index);
          // this test is about delivery, not about giving up
          await db('outbox_marks').update({ attempts: 0, dead_at: null });
        }
        for (const { trx } of open) await trx.commit();
        for (const replica of [...replicas, ...replicas]) await run([replica]);
        for (const consumer of names) {
          const had: number[] = await db('effects').where({ consumer }).orderBy('n').pluck('n');
          t.same(had, wanted, 'each once');
        }
        t.same(await db('outbox_marks'), []);
        await db('outbox').update({ created_at: db.raw("now() - interval '61 minutes'") });
        await replicas[0]?.tidy();
        t.same(await db('outbox'), [], 'events that every consumer has are deleted after an hour');
      },
    );
    await fc.assert(property, { numRuns: 25 });
    for (const replica of replicas) await replica.stop();
  },
);
