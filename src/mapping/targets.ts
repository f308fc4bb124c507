/**
 * The fields a mapping may fill, per kind of request: the upstream's names (seed 2.2), what each holds, and our limits.
 *
 * A unit test holds this table and the upstream contract together; mapping itself imports nothing from there.
 */
import { CODE_CHARACTERS_MAX, LOAD_NUMBER_CHARACTERS_MAX, TEXT_CHARACTERS_MAX } from './limits.ts';
import type { RequestKind } from './request.ts';

export type TargetField =
  | { name: string; holds: 'text'; required: boolean; charactersMax: number; about: string }
  | { name: string; holds: 'integer'; required: boolean; minimum: number; about: string }
  | { name: string; holds: 'time' | 'references'; required: boolean; about: string };

const MILESTONE: readonly TargetField[] = [
  {
    name: 'eventCode',
    holds: 'text',
    required: true,
    charactersMax: CODE_CHARACTERS_MAX,
    about: 'Code of the event, for example X3 (arrived at pick-up).',
  },
  {
    name: 'reasonCode',
    holds: 'text',
    required: false,
    charactersMax: CODE_CHARACTERS_MAX,
    about: 'Reason of the event, for example NS (normal).',
  },
  {
    name: 'loadNumber',
    holds: 'text',
    required: true,
    charactersMax: LOAD_NUMBER_CHARACTERS_MAX,
    about: 'The load the event belongs to.',
  },
  {
    name: 'eventCity',
    holds: 'text',
    required: false,
    charactersMax: TEXT_CHARACTERS_MAX,
    about: 'City of the event.',
  },
  {
    name: 'eventState',
    holds: 'text',
    required: false,
    charactersMax: TEXT_CHARACTERS_MAX,
    about: 'State or province code of the event.',
  },
  {
    name: 'time',
    holds: 'time',
    required: true,
    about: 'When it happened: local time and zone, or a time with its offset.',
  },
  {
    name: 'stopsequenceNumber',
    holds: 'integer',
    required: false,
    minimum: 0,
    about: 'Sequence number of the stop (the upstream spells it this way).',
  },
  {
    name: 'references',
    holds: 'references',
    required: false,
    about: 'Further numbers of the load, each with a name and a value.',
  },
];

/** A Map, not an object: a document that names `constructor` must find nothing. */
export const TARGETS: ReadonlyMap<RequestKind, readonly TargetField[]> = new Map([['milestone', MILESTONE]]);

export const targetFields = (kind: RequestKind): readonly TargetField[] => TARGETS.get(kind) ?? [];
