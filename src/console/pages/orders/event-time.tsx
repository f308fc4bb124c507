/** The time of an event: in one zone, so that times can be compared, and in the file's own beside it. */
import type { FC } from 'hono/jsx';
import { iso } from '../../../kernel/clock.ts';
import { exactTime } from '../../parts/basics.tsx';

/** `2026-03-02T08:15:00.0000000-06:00` → `2026-03-02 14:15 UTC`: all in one zone, so that they can be compared. Pure. */
function inUtc(time: string): string {
  const atMs = Date.parse(time);
  return Number.isNaN(atMs) ? time : exactTime(iso(atMs)).replace(/(\d\d:\d\d):00(?= |$)/, '$1');
}

/** `08:15 -06:00`, as in the file; '' where that is UTC. Pure. */
function ownClock(time: string): string {
  const [, clock = '', offset = ''] = /T(\d\d:\d\d(?::(?!00)\d\d)?)[^+-]*([+-]\d\d:\d\d)$/.exec(time) ?? [];
  return offset === '' || /^.00:00$/.test(offset) ? '' : `${clock} ${offset}`;
}

/** @param until of several, the time of the last. isShort: without the file's own zone. */
export const EventTime: FC<{ time: string; until?: string | null; isShort?: boolean }> = ({
  time,
  until = null,
  isShort = false,
}) => {
  const own = ownClock(time);
  const day = '2026-03-02 '.length;
  const last = until === null ? '' : inUtc(until);
  const to = last.slice(0, day) === inUtc(time).slice(0, day) ? last.slice(day) : last;
  return (
    <>
      <time datetime={time} title={time}>
        {last === '' ? inUtc(time) : `${inUtc(time).replace(' UTC', '')} to ${to}`}
      </time>
      {isShort || own === '' || last !== '' ? null : <span class="quiet"> {own}</span>}
    </>
  );
};
