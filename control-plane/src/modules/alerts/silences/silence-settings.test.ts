import t from 'tap';
import { silenceStatus } from './silence.js';
import { silenceIn } from './silence-row.js';
import { newSilence } from './silence-settings.js';

// A night in each zone in which the clocks change: begin and end by them, with their offsets, and the seconds between.
const nights: readonly (readonly [zone: string, begin: string, end: string, seconds: number])[] = [
  ['Europe/Berlin', '2026-03-29T01:30:00+01:00', '2026-03-29T03:30:00+02:00', 3_600],
  ['Europe/Berlin', '2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00', 3_600],
  ['America/New_York', '2026-03-08T01:30:00-05:00', '2026-03-08T03:30:00-04:00', 3_600],
  ['Australia/Lord_Howe', '2026-10-04T01:30:00+10:30', '2026-10-04T03:00:00+11:00', 3_600],
  ['Africa/Casablanca', '2026-02-15T01:30:00+01:00', '2026-02-15T03:30:00+00:00', 10_800],
  ['America/Ciudad_Juarez', '2026-03-08T01:30:00-07:00', '2026-03-08T03:30:00-06:00', 3_600],
  ['Pacific/Apia', '2011-12-29T23:00:00-10:00', '2011-12-31T01:00:00+14:00', 7_200],
];

for (const [zone, begin, end, seconds] of nights)
  t.test(`a silence over a change of the clocks in ${zone} lasts from instant to instant: ${begin}`, async (t) => {
    const beginMs = Date.parse(begin);
    const fields = newSilence({ reason: 'Work', starts_at: begin, ends_at: end }, beginMs - 60_000);
    const lasting = newSilence({ reason: 'Work', starts_at: begin, duration_sec: seconds }, beginMs - 60_000);
    t.strictSame(lasting, fields, 'the same by its seconds');
    const at = new Date(beginMs);
    const row = {
      ...fields,
      id: 'asl_1',
      owner_id: 'u_1',
      created_by: 'u_1',
      is_test: false,
      created_at: at,
      updated_at: at,
    };
    const stateAt = (second: number) => silenceStatus(silenceIn(row), beginMs + second * 1_000);
    t.strictSame([-1, 0, seconds - 1, seconds].map(stateAt), ['upcoming', 'active', 'active', 'expired']);
  });
