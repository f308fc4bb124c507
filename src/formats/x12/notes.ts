/** What a person should know of an X12 file though nothing is wrong with it. */

export type NoteCode =
  | 'byte_order_mark'
  | 'blanks_before_isa'
  | 'break_in_isa'
  | 'isa_width'
  | 'isa16_absent'
  | 'isa16_doubled'
  | 'isa_terminator_lost'
  | 'breaks_in_segments'
  | 'empty_segments'
  | 'last_terminator_absent'
  | 'repeated_elements'
  | 'interchange_acknowledgments'
  | 'read_as_utf_8';

export const NOTES: Record<NoteCode, string> = {
  byte_order_mark: 'A byte-order mark stands before an ISA; it was passed over.',
  blanks_before_isa: 'Blanks or line breaks stand before the first ISA; they were passed over.',
  break_in_isa: 'A line break stands inside an ISA; it was removed.',
  isa_width: 'An ISA has elements of another width than the standard fixes; its separators were counted instead.',
  isa16_absent: 'ISA16, the component separator, is absent in an ISA; its elements were read as having no components.',
  isa16_doubled: 'ISA16, the component separator, is written twice in an ISA; it was read once.',
  isa_terminator_lost: 'An ISA has no segment terminator; the one of the segment behind it was used.',
  breaks_in_segments: 'Line breaks stand inside segments; they were removed.',
  empty_segments: 'Segment terminators stand with nothing before them; they were passed over.',
  last_terminator_absent: 'The last segment of the file has no terminator.',
  repeated_elements: 'Elements are repeated; only the first of each was read.',
  interchange_acknowledgments: 'TA1 segments stand in the interchange; they were passed over.',
  read_as_utf_8: 'Letters beyond ASCII were read as utf-8.',
};

export const readAsNote = (encoding: string): string =>
  `Letters beyond ASCII that are not utf-8 were read as ${encoding}.`;
