/**
 * What a document says about changing an order that exists: its form, and what it means for one format.
 *
 * The receiving system takes complete orders only (seed 4.4), and partners send three columns: what a file leaves out, what it
 * empties and how its lists come together with those of the order must be said, never guessed.
 */
import { z } from 'zod';
import type { RecordSource } from '../../formats/reader.ts';
import { CLEAR_CHARACTERS_MAX, LIST_PATH_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from '../limits.ts';
import type { ListChange } from '../request.ts';
import { type TextField, textField } from './field-spec.ts';

const member = z.string().min(1).max(NAME_CHARACTERS_MAX);

export const KEYLESS_CHANGES = ['add', 'replace'] as const;

const keyedList = z
  .strictObject({
    key: member.describe('Member by which an entry is found; an entry that is not there yet is added.'),
    quantity: member.optional().describe('Member that holds the quantity: what the file writes there is the new one.'),
    unit: member
      .optional()
      .describe(
        'Member that holds the unit of the quantity. A quantity in another unit than that of the entry is refused; an entry that has none keeps none.',
      ),
    by: member.optional().describe('Member that says how much more, or with a minus how much less. It is not sent.'),
    action: member
      .optional()
      .describe(
        'Member that says what is done with the entry: ADD, CHANGE, DELETE, MORE or LESS, as a code list yields it. It is not sent.',
      ),
  })
  .meta({ id: 'KeyedList', description: 'A list whose entries are told apart by one of their members.' });

export const listChange = z
  .union([z.enum(KEYLESS_CHANGES), keyedList])
  .meta({ id: 'ListChange', description: 'add, replace, or the key by which entries are merged.' });

export const changeSpec = z
  .strictObject({
    complete: z
      .boolean()
      .optional()
      .describe(
        'true: the file holds the whole order, and what may change and is missing there is taken out. false (the default): what it does not write stays.',
      ),
    clear: z
      .string()
      .min(1)
      .max(CLEAR_CHARACTERS_MAX)
      .optional()
      .describe('A cell with exactly this text empties the member. An empty cell leaves it alone.'),
    changeRef: textField
      .optional()
      .describe(
        'What names the change, so that "three more" is counted once. In X12 and EDIFACT the control numbers do where it is empty.',
      ),
    lists: z
      .record(z.string().min(1).max(LIST_PATH_CHARACTERS_MAX), listChange)
      .optional()
      .describe('Per list of the order, by its path (skus, consignee.phones): how it changes the list that is there.'),
  })
  .meta({ id: 'Change', description: 'How an update or an upsert changes an order that exists.' });

export type ChangeSpec = z.infer<typeof changeSpec>;

/** Whether a list may say how much more or less: that must not be counted twice. */
export const saysDifferences = (list: ListChange): boolean =>
  typeof list === 'object' && (list.by !== undefined || list.action !== undefined);

/** What an interchange is told apart by: its sender, its control number, and those of the group and the set in it. */
const CONTROL_NUMBERS: { readonly [Format in RecordSource['format']]?: readonly string[] } = {
  x12: ['ISA-05', 'ISA-06', 'ISA-13', 'GS-06', 'ST-02'],
  edifact: ['UNB-02.1', 'UNB-05', 'UNH-01'],
};

/**
 * Where the reference of a change is read: the first of these that is filled. The number that its sender gives it stands before the
 * control numbers, which a corrected interchange has anew. None where the document names none and the format has none of its own.
 */
export function changeRefFields(change: ChangeSpec, source: RecordSource | undefined): TextField[] {
  const controls = source === undefined ? undefined : CONTROL_NUMBERS[source.format];
  const isNeeded = Object.values(change.lists ?? {}).some(saysDifferences);
  return [
    ...(change.changeRef === undefined ? [] : [change.changeRef]),
    ...(controls === undefined || !isNeeded ? [] : [{ from: [...controls], join: '/' }]),
  ];
}
