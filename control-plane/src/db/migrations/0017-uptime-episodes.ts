/** Name in the table of applied migrations. */
export const name = '0017-uptime-episodes';

/** The uptime of a month reads what has ended since, not all that a monitor has ever had. */
export const indexes = [
  {
    name: 'monitor_events_uptime',
    on: `monitor_events (monitor_id, coalesce(ended_at, 'infinity'))
      WHERE (type = 'down' OR earlier_types <> '[]') AND NOT is_false_positive AND NOT disputed`,
  },
];
