/** What EDIFACT of real senders does to readers. */
import { testsOf, traps } from './trap.ts';

const habit = testsOf('formats/edifact/traps');
const broken = testsOf('formats/edifact/broken');
const mapped = testsOf('mapping/edifact-traps');
const mutated = testsOf('formats/segments/mutations.long');
const changed = testsOf('formats/edifact/properties.long');
const limits = testsOf('formats/edifact/limits.long');

const RELEASED = 'the release character > makes data of every delimiter and of itself';
const BEFORE_UNB = 'blanks and line breaks > stand before the interchange, behind a byte-order mark';

export const EDIFACT = traps({
  'UNA with comma decimal': habit('delimiters > leave numbers as they are written and note a decimal comma'),
  'UNA absent': habit('delimiters > are the standard ones where no UNA stands'),
  'all six of UNA changed': habit('delimiters > are those of UNA, all six of them changed'),
  '??': habit(RELEASED, 'd??+e'),
  "?'": habit(RELEASED, "?'d"),
  '?+': habit(RELEASED, 'a?+b'),
  'release before the terminator of a wrapped line': habit(
    'the release character > releases what follows the line break at the end of a wrapped line',
  ),
  'BOM before UNB': habit(BEFORE_UNB),
  'blanks before UNB': habit(BEFORE_UNB),
  'line breaks before UNB': habit(BEFORE_UNB),
  'count of UNT wrong': [
    ...broken('a message > with a wrong count is broken alone, with the place and the code of CONTRL'),
    ...broken('a message > with a wrong count is accepted with one note where the counts of the partner are lenient'),
  ],
  'count of UNZ wrong': broken('an envelope > with wrong counts and references at its end leaves its messages sound'),
  'reference of UNT differs': broken(
    'a message > that ends in %s is broken alone, also where counts are lenient',
    "'UNT+3+M9', 'control_number_differs'",
  ),
  'reference of UNZ differs': broken(
    'an envelope > with wrong counts and references at its end leaves its messages sound',
  ),
  'missing UNZ': [
    ...broken('an envelope > without UNZ has an end with a problem where the file ends'),
    ...broken('an envelope > without UNZ ends where the next one begins'),
  ],
  'several interchanges in one file': habit('delimiters > are named by the UNA of each interchange'),
  'UNOC declared, UTF-8 inside': habit('character sets > are UTF-8 first, whatever UNB declares'),
  'mixed-case syntax id': habit('character sets > are then the one that %s declares', "['UnoC'"),
  'DTM 203 with escaped offset': [
    ...habit('the release character > leaves the offset of a time in one component'),
    ...mapped('a DTM > of %s', "'format 203 with an escaped offset'"),
  ],
  'DTM of a date only': [
    ...mapped('a DTM > of %s', "'a date only', "),
    ...mapped('a DTM > read in the zone of a partner’s own mapping, of %s', "'a date only: the start of that day'"),
  ],
  'segments in an order the directory forbids': [
    ...habit('finds segments in an order that no directory allows, and leaves judging that to the mapping'),
    ...mapped('segments in an order that the directory forbids > belong to the status they stand behind'),
    ...mapped(
      'segments in an order that the directory forbids > before any status are none’s: the status without its time is an error',
    ),
  ],
  'several of these together': testsOf('formats/edifact/habits-together')('give the same message'),
  'a terminator deleted': [
    ...changed(
      'an interchange that lost something > has a problem or the same messages without any one of its terminators',
    ),
    ...testsOf('mapping/losses')(
      '%s > loses a terminator or a trailer without another request, and never without a word',
      "'a file of three messages'",
    ),
  ],
  'a separator deleted': mutated('%s > without any one of its separators gives problems with places or whole sets'),
  'a segment deleted': mutated('%s > without any one of its segments says so, and has no set that was not sent'),
  'two segments swapped': [
    ...mutated('%s > with any two neighbouring segments swapped gives problems with places or whole sets'),
    ...changed(
      'an interchange that lost something > is read without a throw when a separator or a segment is lost or two segments change places',
    ),
  ],
  'the file cut at every byte': [
    ...mutated(
      '%s > cut at any byte gives whole sets that were sent, in their order, and a problem where one is missing',
    ),
    ...changed('an interchange that lost something > gives whole messages when it is cut at any byte'),
  ],
  'a segment, a message or their number too large': [
    ...limits('a message that is too large costs itself alone > when a segment is longer than segments may be'),
    ...limits('a message that is too large costs itself alone > when it has more bytes than messages may have'),
    ...limits('a message that is too large costs itself alone > when it has more segments than messages may have'),
  ],
  'more problems than are told': broken('a message > shows twenty of its problems and counts the others'),
});
