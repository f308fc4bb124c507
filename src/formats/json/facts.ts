/** Turns what a parser found at an offset of a slice into facts about the file: bytes, lines, paths, what stands there. Pure. */
import type { JsonLimits } from './limits.ts';
import type { Refusal } from './parse.ts';
import { pathText } from './path.ts';
import type { BreakCause, Found, InvalidJson, JsonRecordProblem, Wanted } from './problems.ts';
import { countLineFeeds, type Slice } from './slice.ts';

/** The first unit of a record and its line, from which the place of a fault is counted. */
export interface RecordStart {
  from: number;
  line: number;
}

export function recordProblem(
  slice: Slice,
  limits: JsonLimits,
  { from, line: firstLine }: RecordStart,
  refusal: Refusal,
): JsonRecordProblem {
  const { at, reason } = refusal;
  const line = firstLine + countLineFeeds(slice.text, from, at);
  const byte = slice.byteAt(at);
  const path = pathText(refusal.path);
  switch (reason.code) {
    case 'invalid_json':
      return { code: reason.code, byte, line, path, ...faultAt(slice, at, reason.wanted, reason.found) };
    case 'duplicate_key':
      return { code: reason.code, byte, line, path, name: reason.name };
    case 'too_many_members': {
      const countMax = reason.counted === 'members' ? limits.membersMax : limits.itemsMax;
      return { code: reason.code, byte, line, path, counted: reason.counted, countMax };
    }
    case 'value_too_large':
      return { code: reason.code, byte, line, path, bytesMax: limits.valueBytesMax, text: slice.excerpt(at) };
    case 'record_too_large':
      // How large it is will be known at its end.
      return { code: reason.code, bytes: 0, bytesMax: limits.recordBytesMax };
    case 'too_deep':
      return { code: reason.code, byte, line, path, depthMax: limits.depthMax };
    case 'bad_encoding':
      return { code: reason.code, byte, line, path, hex: slice.hex(at), text: slice.excerpt(at) };
    case 'lone_surrogate':
      return { code: reason.code, byte, line, path, text: slice.excerpt(at) };
  }
}

/** What stands at an offset in the place of what is wanted. @param line of that offset */
export function breakCause(
  slice: Slice,
  limits: JsonLimits,
  { at, line }: { at: number; line: number },
  wanted: Wanted | 'fewer_levels',
): BreakCause {
  const byte = slice.byteAt(at);
  if (wanted === 'fewer_levels') return { code: 'nested_too_deep', byte, line, depthMax: limits.passedDepthMax };
  const found: Found = at < slice.text.length ? 'text' : 'end_of_file';
  return { code: 'invalid_json', byte, line, path: '', ...faultAt(slice, at, wanted, found) };
}

function faultAt(
  slice: Slice,
  at: number,
  wanted: Wanted,
  found: Found,
): Pick<InvalidJson, 'wanted' | 'found' | 'text'> {
  return { wanted, found, text: found === 'text' ? slice.excerpt(at) : '' };
}
