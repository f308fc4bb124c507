/**
 * Day numbers and ISO dates of cells → one form of text: `2026-03-02`, `2026-03-02 08:15:00`, `08:15:00`.
 *
 * No zone is known inside a workbook; the mapping says which. Pure.
 */
import type { DateKind } from './number-format.ts';

/** How the workbook counts days: system 1904 is that of old Macs. */
export interface DateSystem {
  is1904: boolean;
}

const DAY_SECONDS = 86_400;
const DAY_MS = 86_400_000;
/** Day 0 of each way of counting. 1900 was no leap year, but system 1900 has a 29 February, day 60 (ECMA-376-1 18.17.4.1). */
const DAY_0_BEFORE_FALSE_DAY_MS = Date.UTC(1899, 11, 31);
const DAY_0_MS = Date.UTC(1899, 11, 30);
const DAY_0_OF_1904_MS = Date.UTC(1904, 0, 1);
const FALSE_DAY = 60;
const FIRST_DAY_AFTER_9999_MS = Date.UTC(10_000, 0, 1);

/** @param days with the time as fraction, rounded to the second. @returns undefined where there is no such date: Excel shows none either. */
export function dateText(days: number, kind: DateKind, system: DateSystem): string | undefined {
  const seconds = Math.round(days * DAY_SECONDS);
  if (!(seconds >= 0)) return undefined;
  if (kind === 'elapsed') return clockText(seconds);
  const day = Math.floor(seconds / DAY_SECONDS);
  const date = dayText(day, system);
  if (date === undefined) return undefined;
  const time = clockText(seconds - day * DAY_SECONDS);
  switch (kind) {
    case 'date':
      return date;
    case 'time':
      return time;
    case 'date_time':
      return `${date} ${time}`;
  }
}

function dayText(day: number, { is1904 }: DateSystem): string | undefined {
  if (!is1904 && day === 0) return '1900-01-00'; // as Excel shows a time without a date
  if (!is1904 && day === FALSE_DAY) return '1900-02-29';
  const day0Ms = is1904 ? DAY_0_OF_1904_MS : day < FALSE_DAY ? DAY_0_BEFORE_FALSE_DAY_MS : DAY_0_MS;
  const ms = day0Ms + day * DAY_MS;
  return ms < FIRST_DAY_AFTER_9999_MS ? new Date(ms).toISOString().slice(0, 10) : undefined;
}

function clockText(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** ISO 8601 as cells of kind `d` have it: a date, a time, or both, never with an offset (ECMA-376-1 18.17.4.2). */
const ISO = /^(?:(\d{4}-\d\d-\d\d)(?:T(?=\d)|$))?(?:(\d\d):(\d\d)(?::(\d\d(?:\.\d{1,12})?))?Z?)?$/;

/** @param kind of the cell's style; undefined: as much as is written. @returns undefined for what is no ISO date. */
export function isoDateText(written: string, kind: DateKind | undefined): string | undefined {
  const [, date, hours, minutes, seconds = '0'] = ISO.exec(written.trim()) ?? [];
  const dayMs = date === undefined ? 0 : Date.parse(`${date}T00:00:00Z`);
  if ((date === undefined && hours === undefined) || Number.isNaN(dayMs)) return undefined;
  const time = Math.round(Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds));
  if (date === undefined) return clockText(time);
  const at = new Date(dayMs + time * 1_000).toISOString();
  const shown = kind ?? (hours === undefined ? 'date' : 'date_time');
  if (shown === 'date') return at.slice(0, 10);
  return shown === 'date_time' ? `${at.slice(0, 10)} ${at.slice(11, 19)}` : at.slice(11, 19);
}
