/**
 * The standard's own code for each problem, with the list it is from: TA105 for interchanges, the reasons in AK5 for sets
 * and in AK9 for groups, AK304 for segments, AK403 for elements.
 */
import type { Level, X12Problem } from './problems.ts';

const SET = 'AK502';
const GROUP = 'AK905';
const INTERCHANGE = 'TA1';

const TRAILER_MISSING: Record<Level, string> = {
  interchange: `${INTERCHANGE} 023`,
  group: `${GROUP} 3`,
  set: `${SET} 2`,
};
const COUNT: Record<Level, string> = { interchange: `${INTERCHANGE} 021`, group: `${GROUP} 5`, set: `${SET} 4` };
const CONTROL_DIFFERS: Record<Level, string> = {
  interchange: `${INTERCHANGE} 001`,
  group: `${GROUP} 4`,
  set: `${SET} 3`,
};
const CONTROL_INVALID: Record<Level, string> = {
  interchange: `${INTERCHANGE} 018`,
  group: `${GROUP} 6`,
  set: `${SET} 7`,
};

/** @returns '' where the standard has none. */
export function standardCode(problem: X12Problem): string {
  switch (problem.code) {
    case 'isa_incomplete':
    case 'isa_width':
      return `${INTERCHANGE} 022`;
    case 'isa_end_unclear':
      return `${INTERCHANGE} 004`;
    case 'delimiter_alphanumeric':
    case 'delimiter_blank':
    case 'delimiters_equal':
      if (problem.role === 'terminator') return `${INTERCHANGE} 004`;
      return problem.role === 'component' ? `${INTERCHANGE} 027` : `${INTERCHANGE} 022`;
    case 'text_outside_interchange':
    case 'more_problems':
    // The set itself has no fault that a list could name.
    case 'interchange_broken':
      return '';
    case 'header_missing':
      return problem.level === 'group' ? `${INTERCHANGE} 022` : `${SET} 6`;
    case 'trailer_missing':
      return TRAILER_MISSING[problem.level];
    case 'count_differs':
    case 'count_invalid':
      return COUNT[problem.level];
    case 'control_number_differs':
      return CONTROL_DIFFERS[problem.level];
    case 'control_number_invalid':
      return CONTROL_INVALID[problem.level];
    case 'group_header_incomplete':
      return `${GROUP} 6`;
    case 'set_id_invalid':
      return `${SET} 6`;
    case 'unexpected_segment':
      return 'AK304 2';
    case 'terminator_missing':
      return 'AK304 8';
    case 'segment_tag_invalid':
      return 'AK304 1';
    case 'bad_encoding':
    case 'nul_character':
      return 'AK403 6';
    case 'segment_too_large':
      return 'AK304 8';
    case 'set_too_large':
    case 'set_segments_too_many':
      return `${SET} 5`;
  }
}
