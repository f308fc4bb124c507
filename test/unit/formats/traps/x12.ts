/** What X12 of real senders does to readers. */
import { testsOf, traps } from './trap.ts';

const habit = testsOf('formats/x12/traps');
const read = testsOf('formats/x12/read');
const mapped = testsOf('mapping/x12-traps');
const mutated = testsOf('formats/segments/mutations.long');
const changed = testsOf('formats/x12/properties.long');

const TERMINATORS = 'terminators > %j ends segments';
const ELEMENTS = 'separators > %j separates elements';
const COMPONENTS = 'separators > %j separates components';
const REFUSED = 'delimiters that cannot be told from text > are refused with their place: %s';
const BEFORE_ISA = 'what stands before and around ISA > %j is passed over with a note';
const SETS = 'sets of one group > are judged alone; the second has %s';
const ENVELOPES = 'envelopes > %s: the sets stay sound';
const TIME = 'a time > of %s is %s';
const POSITION = 'a position > of %s';
const STORED = 'segments of 214 that readers lose > %s keeps each element in its place';

export const X12 = traps({
  'terminator ~': habit(TERMINATORS, "it.each(['~', '$'"),
  'terminator $': habit(TERMINATORS, "'$'"),
  'terminator -': habit(TERMINATORS, "'-'"),
  'terminator !': habit(TERMINATORS, "'!'"),
  'terminator LF': habit(TERMINATORS, "'\\n', '\\r\\n', '\\r'"),
  'terminator CRLF': habit(TERMINATORS, "'\\r\\n'"),
  'terminator ~ + CRLF': [...habit('lines > end in %j', "'\\r\\n'"), ...habit(TERMINATORS)],
  'blank before ~': habit('terminators > blanks before the terminator are no part of the text'),
  'terminator of several bytes': [
    ...habit(TERMINATORS, "'¶'"),
    ...habit('terminators > a byte of no UTF-8 ends segments'),
  ],
  'element separator |': habit(ELEMENTS, "'|'"),
  'element separator ^': habit(ELEMENTS, "'|', '^'"),
  'component separator ^': habit(COMPONENTS, "'^', '>'"),
  'component separator >': habit(COMPONENTS, "'>'"),
  'component separator {': habit(COMPONENTS, "'{'"),
  'repetition separator ~': habit('the repetition separator > may be a tilde'),
  'ISA 105 wide': habit('the width of ISA > is not trusted: ISA of %d bytes', '[105, 107]'),
  'ISA 107 wide': habit('the width of ISA > is not trusted: ISA of %d bytes', '[105, 107]'),
  'ISA16 absent': [
    ...habit('the end of ISA > without ISA16 has no components and loses nothing'),
    ...habit('the end of ISA > without ISA16 on one line is told by the segment behind it'),
  ],
  'ISA16 doubled': habit('the end of ISA > with ISA16 twice is read as with one'),
  'delimiters equal': [
    ...habit(REFUSED, "'delimiters_equal'"),
    ...habit('the repetition separator > that equals another delimiter is refused'),
  ],
  'alphanumeric delimiter': habit(REFUSED, "'delimiter_alphanumeric'"),
  'BOM before ISA': habit(BEFORE_ISA, "'\\ufeff'"),
  'blanks before ISA': habit(BEFORE_ISA, "'  '"),
  'line break inside ISA': habit('what stands before and around ISA > a line break inside ISA is no part of it'),
  'missing SE': read(SETS, "'no SE'"),
  'missing GE': read(ENVELOPES, "'GE is missing'"),
  'missing IEA': read(ENVELOPES, "'IEA is missing'"),
  'count of SE wrong': read(SETS, "'a wrong count'"),
  'count of GE wrong': read(ENVELOPES, "'GE says another number of sets'"),
  'count of IEA wrong': read(ENVELOPES, "'IEA says another number of groups'"),
  'control number of SE differs': read(SETS, "'another control number in SE'"),
  'control number of GE differs': read(ENVELOPES, "'GE has another control number'"),
  'control number of IEA differs': read(ENVELOPES, "'IEA has another control number'"),
  'sets run together': read('sets of one group > that run into each other are both broken, and the third is not'),
  'first ~ lost (ISA and GS merged)': habit('the first terminator lost > changes no set: ISA and GS are told apart'),
  'two interchanges, same control number': habit(
    'several envelopes in a file > two interchanges may carry the same control number',
  ),
  'several ISA with other delimiters': habit('several envelopes in a file > each has its own delimiters'),
  'line wrapped at 80 columns': habit('lines > wrapped at 80 columns are joined, inside segments too'),
  'line break inside segments': habit('lines > wrapped at 80 columns are joined, inside segments too'),
  'AT7 appointment rows': [
    ...habit(STORED, "'AT7***AA*NA*20260301*0830*ET'"),
    ...mapped('an appointment > is an event of its own, with its own reason: %s', "'AA'"),
  ],
  '8-digit time': [...habit(STORED, '08301500'), ...mapped(TIME, "'20260302*08153025*CT'")],
  'no time code': mapped(TIME, "'20260302*0815', ["),
  'time code 20': mapped(TIME, "'20260302*0815*20'"),
  'time code ES in summer': [
    ...mapped(TIME, "'20260702*0815*ES'"),
    ...mapped('a time > of a partner who writes standard codes all year and means the clock: %s', "'20260702*0815*ES'"),
  ],
  'MS1 in degrees, minutes and seconds': mapped(POSITION, "'degrees, minutes and seconds'"),
  'MS1 decimal': mapped(POSITION, "'degrees with decimals'"),
  'MS1 minus + W': mapped(POSITION, "'a minus and W'"),
  'MS1 swapped': mapped(POSITION, "'the halves swapped'"),
  'several of these together': testsOf('formats/x12/habits-together')(
    'give the plain sets, or are refused where one character is two delimiters',
  ),
  'a terminator deleted': [
    ...changed('a lost terminator > gives a problem with its place, or the same sets: %s'),
    ...testsOf('mapping/losses')(
      '%s > loses a terminator or a trailer without another request, and never without a word',
    ),
  ],
  'a separator deleted': mutated('%s > without any one of its separators gives problems with places or whole sets'),
  'a segment deleted': mutated('%s > without any one of its segments says so, and has no set that was not sent'),
  'two segments swapped': [
    ...mutated('%s > with any two neighbouring segments swapped gives problems with places or whole sets'),
    ...changed('mutations > swapped segments are a problem where an envelope is touched, and never an exception'),
  ],
  'the file cut at every byte': [
    ...mutated(
      '%s > cut at any byte gives whole sets that were sent, in their order, and a problem where one is missing',
    ),
    ...changed('a file cut anywhere > gives whole sets or problems: %s'),
  ],
  'a segment, a set or their number too large': [
    ...read('what is too large > a set of too many segments costs itself alone'),
    ...read('what is too large > a set of too many bytes costs itself alone'),
    ...read('what is too large > a segment of too many bytes costs its set alone, and is named'),
  ],
  'more problems than are told': read(
    'sets of one group > tell no more problems than the limit, and how many more there are',
  ),
});
