/**
 * Sentences for `/problems/{code}`: what the source fills in when it knows the facts is filled in here with an example that
 * reads as people meet it. `‹ ›` stands around each, so that a page can show what is one.
 *
 * First the whole sentence, where words around what is filled in depend on it; then the name of a code; then the name
 * anywhere. A new name without an example fails the test of the reference pages.
 */
import { INTERCHANGES_MAX } from '../../src/batch/envelopes/interchanges.ts';
import { CSV_LIMITS } from '../../src/formats/csv/limits.ts';
import { EDIFACT_LIMITS } from '../../src/formats/edifact/limits.ts';
import { FIXED_LIMITS } from '../../src/formats/fixed/limits.ts';
import { JSON_LIMITS } from '../../src/formats/json/limits.ts';
import { X12_LIMITS } from '../../src/formats/x12/limits.ts';
import { WORKBOOK_BYTES_MAX, XML_TOKEN_UNITS_MAX } from '../../src/formats/xlsx/limits.ts';
import { XML_LIMITS } from '../../src/formats/xml/limits.ts';
import {
  ARCHIVE_FILES_MAX,
  LOAD_SCACS_MAX,
  MESSAGE_BYTES_MAX,
  OPS_LOAD_LOCATIONS_MAX,
} from '../../src/kernel/limits.ts';
import { ELEMENTS_MAX, ORDER_CHARACTERS_MAX } from '../../src/mapping/limits.ts';
import { KEYS_LIVE_MAX } from '../../src/ops/directory/limits.ts';
import { MAPPING_NAMES_MAX } from '../../src/ops/publishing/limits.ts';
import { WEBHOOK_TARGETS_MAX } from '../../src/webhooks/limits.ts';

/** A limit as it is, and what is just beyond it. */
const limit = (count: number): string => count.toLocaleString('en-US');
const beyond = (count: number): string => limit(count + 1);

/** By the text as the source has it. */
const SENTENCES: Readonly<Record<string, string>> = {
  'the text in quotes: {text}': 'the text in quotes: ‹"Load #"›',
  '"{column}" is read in each element of "{beside}"; a "when" beside "each" is asked once, of {around}.':
    '"‹code›" is read in each element of "‹stops›"; a "when" beside "each" is asked once, of ‹the record›.',
  '{own} if that of {around} is meant; {each}':
    '‹["code"]› if that of ‹the record› is meant; ‹elements of requests cannot be left out one by one›',
  'No interchange could be read, so nobody can be answered. …':
    'No interchange could be read, so nobody can be answered.',
  'The connection ended, or stood still, after {receivedBytes}… bytes. Nothing was stored.':
    'The connection ended, or stood still, after ‹48,211› of ‹65,536› bytes. Nothing was stored.',
  'Ask whoever sent them, or the operator, what became of them. GET …/correctable lists the rows that are still to be corrected.':
    'Ask whoever sent them, or the operator, what became of them. GET ‹/v1/batches/b_01m7ww39jy4zp0vsb9jmf5mjzh/correctable› lists the rows that are still to be corrected.',
  'GET …/correctable lists the rows and their columns; a row that was corrected before is not among them.':
    'GET ‹/v1/batches/b_01m7ww39jy4zp0vsb9jmf5mjzh/correctable› lists the rows and their columns; a row that was corrected before is not among them.',
  'The document looks like …, but the mapping "{mapping}" reads {format}.':
    'The document looks like ‹XML›, but the mapping "‹carrier-status-json›" reads ‹JSON›.',
  'The body is no complete multipart/form-data: …. Nothing was stored.':
    'The body is no complete multipart/form-data: ‹it ends before its last boundary›. Nothing was stored.',
  'Put it before the file, as curl -F {name}=… -F file=@events.csv does, or write it into the address.':
    'Put it before the file, as curl -F ‹mapping=carrier-status-csv› -F file=@events.csv does, or write it into the address.',
  'This key is for {mappings} alone, and none of these makes ….':
    'This key is for ‹carrier-status-csv› alone, and none of these makes ‹orders›.',
  'This Idempotency-Key already stands for batch {batchId}{sha256}.':
    'This Idempotency-Key already stands for batch ‹b_01m7ww39jy4zp0vsb9jmf5mjzh›, which another file made.',
  'Use one of ….': 'Use one of ‹GET, POST›.',
  'Accept …, or leave Accept out.': 'Accept ‹application/json›, or leave Accept out.',
  'The API has no subject "…".': 'The API has no subject "‹batch›".',
  '/problems lists all of them. {code}': '/problems lists all of them.',
  'This is for {whose}; you are signed in as {who}. Nothing was changed.':
    'This is for ‹operators›; you are signed in as ‹the partner acme-carrier›. Nothing was changed.',
  'Rows are numbered from 1, without the header; `…/rows` lists them.':
    'Rows are numbered from 1, without the header; ‹/v1/batches/b_01m7ww39jy4zp0vsb9jmf5mjzh/rows› lists them.',
  '… use the SCAC "{scac}".': 'The channel of your key may not use the SCAC "‹ABCD›".',
  'There are {allowed} SCACs, too many to look for a load under each.': `There are ‹${beyond(LOAD_SCACS_MAX)}› SCACs, too many to look for a load under each.`,
  'Add &scac=… with one of {allowed}.': 'Add ‹&scac=ABCD› with one of ‹ABCD, EFGH›.',
  '{detail} Nothing was stored.': 'The form has ‹two files›. Nothing was stored.',
  '{detail} Nothing was changed.': 'The body has no ‹"name"›. Nothing was changed.',
  '"expires" is …. Nothing was changed.': '"expires" is ‹in the past›. Nothing was changed.',
  'An issue is muted until a time within the next … days. Nothing was changed.':
    'An issue is muted until a time within the next ‹90› days. Nothing was changed.',
  '"{name}" …, which If-Match does not name. Nothing was changed.':
    '"‹carrier-status-csv›" has the version ‹"7"› now, which If-Match does not name. Nothing was changed.',
  'The {api} API of the receiving system {said}': 'The ‹load› API of the receiving system ‹answered with status 503›.',
  'Nothing is kept here that could be shown. The {api} API of the receiving system {said}':
    'Nothing is kept here that could be shown. The ‹fleet› API of the receiving system ‹answered 503: try later›.',
  'The gate of this channel did not answer: {detail}': 'The gate of this channel did not answer within ‹5 s›.',
  'The address {why}. Nothing was changed.': 'The address ‹leads into a private network›. Nothing was changed.',
  'The time is not written as {pattern}, such as {pattern}: at character … {found}, wanted: {wanted}.':
    'The time is not written as ‹day.month.year›, such as ‹24.12.2026›: at character ‹3› stands ‹"/"›, wanted: ‹a point›.',
  'The time is not written as {pattern}, such as {pattern}, which "{code}" in "{path}" stands for: at character … {found}, wanted: {wanted}.':
    'The time is not written as ‹year, month, day without marks›, such as ‹20261224›, which "‹102›" in "‹C507-03›" stands for: at character ‹5› stands ‹"-"›, wanted: ‹a digit›.',
  'Write {path} like {pattern}. If that cannot be, ask the operator.':
    'Write "‹Event Date›" like ‹24.12.2026›. If that cannot be, ask the operator.',
  'Write {path} like {pattern}, or write the code of the form you send into "{path}".':
    'Write ‹DTM02› like ‹20261224›, or write the code of the form you send into "‹DTM03›".',
  '"{value}"… is none of the values known for {target}. {nearest}({lists})':
    '"‹QQ›" is none of the values known for ‹the status code›. The nearest one is ‹"AG"›.',
  '…. If it is right as it is, ask the operator to accept this value; the row waits until then.':
    'Correct "‹Status›", for example to "‹AG›". If it is right as it is, ask the operator to accept this value; the row waits until then.',
  'Write {source} as degrees with decimals (… or …) or with its letter (… W).':
    'Write "‹Longitude›" as degrees with decimals (‹41.525› or ‹-88.08›) or with its letter (‹88.08 W›).',
  'Write {source} as degrees, minutes and seconds with its letter (0880448W), or as degrees with decimals and its letter (…W).':
    'Write "‹Longitude›" as degrees, minutes and seconds with its letter (‹0880448W›), or as degrees with decimals and its letter (‹88.08W›).',
  '"{value}" is how spreadsheets and programs shorten a long number; what the last digits of {target} were cannot be told.':
    '"‹1.23457E+11›" is how spreadsheets and programs shorten a long number; what the last digits of ‹the load number› were cannot be told.',
  'JSON is read as utf-8, but the file is {found}: it begins with {hex} at byte {byte}.':
    'JSON is read as utf-8, but the file is ‹utf-16›: it begins with ‹FF FE› at byte ‹0›.',
  'Row {record} of this group … here.': 'Row ‹12› of this group has another value for ‹the load number› here.',
  'Nothing was sent for this group, because {records} wrong.':
    'Nothing was sent for this group, because ‹row 12› is wrong.',
  '{by} … which rows belong together, and this row has nothing there.':
    '"‹Load #›" says which rows belong together, and this row has nothing there.',
  'There must be at least one entry in {target}….': 'There must be at least one entry in ‹the articles (SKUs)›.',
  '{count} {of}s have the … "{value}", so which of them {target} means is not known.':
    '‹2 vehicles› have the ‹license plate› "‹TX 4471›", so which of them ‹the vehicle› means is not known.',
  'Write into {source} what only one {of} has, and send the row again.':
    'Write into "‹Plate›" what only one ‹vehicle› has, and send the row again.',
  'There is no {of} with the … "{value}" for {target}.':
    'There is no ‹vehicle› with the ‹license plate› "‹TX 4471›" for ‹the vehicle or device›.',
  'The {of} with the … "{value}" is known, but not its {fact}, which {target} needs.':
    'The ‹vehicle› with the ‹license plate› "‹TX 4471›" is known, but not its ‹VIN›, which ‹the vehicle VIN› needs.',
  'The file has no column "{column}", which is needed for …. It has: {columns}, and … more.':
    'The file has no column "‹Event Date›", which is needed for ‹the time›. It has: ‹"Load #", "Status", "Date"›, and ‹4› more.',
  '{target} has other marks between its digits than ….':
    '‹The weight in kg› has other marks between its digits than ‹"," at every third one›.',
  'Write {source} ….': 'Write "‹Weight›" ‹with "," at every third digit or without marks›.',
  '{localMs} on {localMs} happens twice in {zone}: clocks go back {change}. It is {change}.':
    '‹01:30› on ‹1 November 2026› happens twice in ‹America/Chicago›: clocks go back ‹from 02:00 to 01:00›. It is ‹06:30 or 07:30 in UTC›.',
  '{localMs} on {localMs} does not exist in {zone}: clocks go {change}.':
    '‹02:30› on ‹8 March 2026› does not exist in ‹America/Chicago›: clocks go ‹from 02:00 to 03:00›.',
  'The time is {offsetMinutes}; the receiving system takes offsets of whole hours alone.':
    'The time is ‹5:30 hours from UTC›; the receiving system takes offsets of whole hours alone.',
  'Send the same moment in a zone of whole hours: in UTC it is ….':
    'Send the same moment in a zone of whole hours: in UTC it is ‹2026-12-24T08:45:00Z›.',
  '{target} must be turned into {to}, but ….':
    '‹The weight in kg› must be turned into ‹kg›, but "‹stone›" is no unit that can be.',
  '{columns} … empty, but {target} is needed.': '"‹Load #›" is empty, but ‹the load number› is needed.',
  '{target} must be a number such as 12{decimal}5.': '‹The weight in kg› must be a number such as ‹12.5›.',
  'Write {source} with "{decimal}" (12{decimal}5). If that cannot be, ask the operator.':
    'Write "‹Weight›" with "‹.›" (‹12.5›). If that cannot be, ask the operator.',
  'There is no {source} in this record, so nothing can be sent for it. An answer that reports a failure looks like this.':
    'There is no ‹"vehicles"› in this record, so nothing can be sent for it. An answer that reports a failure looks like this.',
  'Look at what the record says instead, and send it again with at least one {source}.':
    'Look at what the record says instead, and send it again with at least one ‹entry in "vehicles"›.',
  'Interchange {control} came with other content in {error}; nobody can tell which of the two is meant{error}.':
    'Interchange ‹000004711› came with other content in ‹batch b_01m7ww39jy4zp0vsb9jmf5mjzh›; nobody can tell which of the two is meant.',
  'Give the second of them a control number of its own, and send the upload again{error}.':
    'Give the second of them a control number of its own, and send the upload again.',
  'Send {error} again{error}. {error} GET {error} says what was taken of {control}. force=true with a new Idempotency-Key sends every event of an upload, delivered ones once more.':
    'Send the interchange again with a control number of its own. GET ‹/v1/batches/b_01m7ww39jy4zp0vsb9jmf5mjzh› says what was taken of ‹000004711›. force=true with a new Idempotency-Key sends every event of an upload, delivered ones once more.',
  'Interchange {control} came with the same content in {error}; it is not taken twice{error}.':
    'Interchange ‹000004711› came with the same content in ‹batch b_01m7ww39jy4zp0vsb9jmf5mjzh›; it is not taken twice.',
  'Send {error} again, …{error}.': 'Send ‹the other interchanges› again, without this one.',
  'Nothing needs to be done: GET {error} says what became of …. force=true with a new Idempotency-Key sends every event of an upload, delivered ones once more.':
    'Nothing needs to be done: GET ‹/v1/batches/b_01m7ww39jy4zp0vsb9jmf5mjzh› says what became of ‹it›. force=true with a new Idempotency-Key sends every event of an upload, delivered ones once more.',
  '{detail} Nothing of this upload was taken. Also at fault: {faults}.':
    'Interchange ‹000004711› is at fault, so nothing of this upload was taken. Also at fault: ‹000004713›.',
  '{fix} Send {sound} again without what is at fault.':
    'Correct what is at fault. Or send ‹000004712› again without it.',
  'Interchange {control} says that it is …, but the key is for {environment} ({standard}).':
    'Interchange ‹000004711› says that it is ‹a test›, but the key is for ‹production› (‹ISA15 is T›).',
  'Set the test indicator (ISA15, or UNB 0035) to …, or send it with the other key.':
    'Set the test indicator (ISA15, or UNB 0035) to ‹P›, or send it with the other key.',
  'Interchange {control} names the {what} {found}; for this partner {allowed} … agreed ({standard}).':
    'Interchange ‹000004711› names the ‹sender› "‹ACMETEST›"; for this partner "‹ACME›" is agreed (‹ISA06›).',
  'Interchange {control} says {found} where it should say whether it is a test ({standard}).':
    'Interchange ‹000004711› says "‹X›" where it should say whether it is a test (‹ISA15: T or P›).',
  'A load "{loadNumber}" stands under ….': 'A load "‹LD100214›" stands under ‹two SCACs, ABCD and EFGH›.',
  'The sample has no record … that can be read on its own.':
    'The sample has no record ‹7› that can be read on its own.',
  'Add scac=… to the upload address; your key may use {allowed}.':
    'Add ‹scac=ABCD› to the upload address; your key may use ‹ABCD, EFGH›.',
  'This key may ask for {most} dry runs, previews and suggestions in a minute. Nothing was done.':
    'This key may ask for ‹60› dry runs, previews and suggestions in a minute. Nothing was done.',
  '… is encrypted.': '"‹events.csv›" is encrypted.',
  '"{entry}" is itself ….': '"‹week-48.zip›" is itself ‹a ZIP archive›.',
  'The file is not CSV text. It looks like ….': 'The file is not CSV text. It looks like ‹an Excel workbook›.',
  'The row has {found} where {wanted} … wanted; the first one missing is {missing}.':
    'The row has ‹6 columns› where ‹7› are wanted; the first one missing is "‹Event Time›".',
  'The row has {found} where {wanted} … wanted: the rows before it end with the delimiter, and this one does not.':
    'The row has ‹6 columns› where ‹7› are wanted: the rows before it end with the delimiter, and this one does not.',
  'The row has {found} where {wanted} … wanted; the last one is empty. Most likely a cell holds the delimiter without quotes, and all cells after it are one column too far.':
    'The row has ‹8 columns› where ‹7› are wanted; the last one is empty. Most likely a cell holds the delimiter without quotes, and all cells after it are one column too far.',
  'Line {line} says that the delimiter is the delimiter {delimiter}; agreed is the delimiter {delimiter}.':
    'Line ‹1› says that the delimiter is ‹";"›; agreed is ‹","›.',
  'Line {line} is not divided by the declared delimiter {delimiter}; the delimiter {delimiter} divides it into {columns} columns.':
    'Line ‹1› is not divided by the declared delimiter ‹","›; the delimiter ‹";"› divides it into ‹7› columns.',
  'Not valid JSON: at byte {byte} of the file, in line {line}, … is wanted, but {text} stands there.':
    'Not valid JSON: at byte ‹1,204› of the file, in line ‹15›, ‹a comma or "}"› is wanted, but ‹"status"› stands there.',
  '{message} Nothing after that can be read; before it 1 record was read.':
    'At byte ‹1,204› of the file, in line ‹15›, ‹a comma› is missing. Nothing after that can be read; before it ‹14 records› were read.',
  '{fix} Then send the file again.': '‹Write the comma.› Then send the file again.',
  'The record at byte {byte} of the file, in line {line}, is …; wanted is an object.':
    'The record at byte ‹1,204› of the file, in line ‹15›, is ‹a text›; wanted is an object.',
  'The file is not JSON. It looks like ….': 'The file is not JSON. It looks like ‹XML›.',
  'The document is …; wanted is the array of records.': 'The document is ‹an object›; wanted is the array of records.',
  'The document has no member {missing}, on the path {path} to the records. …':
    'The document has no member "‹events›", on the path "‹data.events›" to the records.',
  '…. If that cannot be, ask the operator.':
    'Send a document that has its records at "‹data.events›". If that cannot be, ask the operator.',
  'The file is not XML. It looks like ….': 'The file is not XML. It looks like ‹CSV text›.',
  'There is no {path} in the document. … ….':
    'There is no "‹/Shipments/Shipment›" in the document. Its first element is "‹Shipment›".',
  'The document cannot be read on in line {line}, at byte {byte} of the file: {max}.':
    'The document cannot be read on in line ‹15›, at byte ‹1,204› of the file: ‹the record that begins here does not end within 2097152 bytes›.',
  'Export the document without <!DOCTYPE …>; write characters themselves, or by number such as &#233;.':
    'Export the document without its <!DOCTYPE>; write characters themselves, or by number such as &#233;.',
  'The file is not fixed-width text. It looks like ….': 'The file is not fixed-width text. It looks like ‹CSV text›.',
  'Line {line} ({kind}) has {characters} characters where {wanted} are wanted; the first ones too many are {surplus}.':
    'Line ‹15› (‹detail›) has ‹84› characters where ‹80› are wanted; the first ones too many are "‹TX 4›".',
  '{field} in line {line} is no number as declared: wanted are {form}.':
    '"‹Weight›" in line ‹15› is no number as declared: wanted are ‹digits, with two decimals implied›.',
  'The file is neither an Excel workbook (.xlsx) nor its sheet as CSV. It looks like ….':
    'The file is neither an Excel workbook (.xlsx) nor its sheet as CSV. It looks like ‹an old workbook (.xls)›.',
  'The sheet "{sheet}" holds nothing….': 'The sheet "‹Events›" holds nothing.',
  'The workbook has no sheet number {wanted}. It has no sheet with rows.': 'The workbook has no sheet number ‹2›.',
  '{level}, the control number, is ….': '‹GS06›, the control number, is ‹empty›.',
  '{trailer}01 is …; it is the number of {counted} in the {name}.':
    '‹SE01› is ‹"1O"›; it is the number of ‹segments› in the ‹transaction set›.',
  'ISA has 16 elements; only {found} … found before it ends.':
    'ISA has 16 elements; only ‹14› were found before it ends.',
  '{count} more … not told here.': '‹12 more problems› are not told here.',
  '{count} more … found and … not shown.': '‹12 more problems› were found and are not shown.',
  'The file is not X12. It looks like ….': 'The file is not X12. It looks like ‹EDIFACT›.',
  'The {name} is not closed: … where {trailer} should.':
    'The ‹transaction set› is not closed: ‹ST› stands where ‹SE› should.',
  'ISA chooses {found} as {name} and as {name}: they must differ.':
    'ISA chooses ‹"*"› as ‹element separator› and as ‹component separator›: they must differ.',
  'The {name} that ISA chooses is {found}, a blank: it would divide the text itself.':
    'The ‹component separator› that ISA chooses is ‹" "›, a blank: it would divide the text itself.',
  'The interchange is broken elsewhere (line {line}), and none of its sets is taken: {message}':
    'The interchange is broken elsewhere (line ‹15›), and none of its sets is taken: ‹The transaction set is not closed›.',
  'The interchange is refused as a whole: line {line}: {message}':
    'The interchange is refused as a whole: line ‹15›: ‹The message is not closed›.',
  'Character … of UNA, the {role}, is {fault}. Nothing from here on can be read.':
    'Character ‹4› of UNA, the ‹component separator›, is ‹a letter›. Nothing from here on can be read.',
  'The trailer counts {stated}, but {counted}.': 'The trailer counts ‹12 segments›, but ‹11› were found.',
  'The count of {counted} is ….': 'The count of ‹segments› is ‹"1O"›.',
  'The file is not an EDIFACT interchange: neither UNA nor UNB stands at its start. It looks like ….':
    'The file is not an EDIFACT interchange: neither UNA nor UNB stands at its start. It looks like ‹X12›.',
  'The {name} {reference} has no trailer: where {trailer} was wanted, ….':
    'The ‹message 4711› has no trailer: where ‹UNT› was wanted, ‹UNH stands›.',
  'The {name} has no header: {header} is missing before this place.':
    'The ‹message› has no header: ‹UNH› is missing before this place.',
  "The element has {components} components (…), and the mapping reads it as one text: the file's component separator (ISA16) stands in it.":
    'The element has ‹2› components (‹"PRO" and "4711"›), and the mapping reads it as one text: the file\'s component separator (ISA16) stands in it.',
  'Agreed for this kind of file is {takes}; this is ….': 'Agreed for this kind of file is ‹a 214›; this is ‹a 204›.',
  '{column} has letters beyond ASCII as utf-8 writes them ({hex} at byte {byte} of the file), but agreed is {encoding}.':
    '‹"City"› has letters beyond ASCII as utf-8 writes them (‹c3 a3› at byte ‹1,204› of the file), but agreed is ‹windows-1252›.',
  'Line {line} has letters beyond ASCII as utf-8 writes them ({hex} at byte {byte} of the file), but agreed is {encoding}. What stands behind them has shifted.':
    'Line ‹15› has letters beyond ASCII as utf-8 writes them (‹c3 a3› at byte ‹1,204› of the file), but agreed is ‹windows-1252›. What stands behind them has shifted.',
  'A {id} with the control number  came before in the same group.':
    'A ‹214› with the control number ‹0001› came before in the same group.',
  'The documentation of the receiving system does not list this among what an update changes: {differences}, and … more.':
    'The documentation of the receiving system does not list this among what an update changes: ‹the article numbers›, and ‹2› more.',
  'The change {changeRef} was counted with {counted} at {path}, and now says {asked}.':
    'The change ‹CH-7› was counted with ‹4 more› at ‹the quantity of article 1›, and now says ‹5 more›.',
  '{name} is required, and nothing fills it. {about}': '‹loadNumber› is required, and nothing fills it.',
  '{name}: { …, required: true } in the list': '‹sku›: { from: ‹Article›, required: true } in the list',
  '{name}: <column>, or { const: … }': '‹loadNumber: Load #›, or ‹{ const: LD100214 }›',
  '…: { {path}: … }': '‹lists: { skus: { key: sku } }›',
  '"{word}" and "{word}" are compared as equal (blanks and, unless caseSensitive is true, upper and lower case).':
    '"‹Delivered›" and "‹DELIVERED›" are compared as equal (blanks and, unless caseSensitive is true, upper and lower case).',
  'reverse: { "{code}": <word> } in the code list': 'reverse: ‹{ "D1": Delivered }› in the code list',
  '{ field: column, in | notIn | equals | empty: … }, or { all | any: [conditions] }, or { not: condition }':
    '‹{ field: Status, in: [AG, D1] }› (or notIn, equals, empty), or ‹{ all: [conditions] }› (or any), or ‹{ not: condition }›',
  '{ each: …, object: { … } }, or { each: …, item: … }':
    '‹{ each: articles, object: { sku: Article } }›, or ‹{ each: articles, item: Article }›',
  '"{ORIGINS}" exclude each other.': '‹"from" and "const"› exclude each other.',
  'exactly one of {ORIGINS}': 'exactly one of ‹from, const, template and the like›',
  'text with columns in braces: "{Load #}-{Stop}"': 'text with columns in braces: ‹"{Load #}-{Stop}"›',
  'the text in quotes: "{source} #"': 'the text in quotes: ‹"Load #"›',
  "the path in quotes: '{path}'": "the path in quotes: ‹'events[0].code'›",
  '… "{key}" here.': 'Nothing is called "‹colum›" here.',
  'A {axis} has no half "{hemisphere}".': 'A ‹latitude› has no half "‹east›".',
  'a name with a letter, and marker: "{name}"': 'a name with a letter, and marker: "‹1›"',
  'No order was made here for this partner under {orderRefs} of the references: {orderRefs}. None was asked for.':
    'No order was made here for this partner under ‹2› of the references: ‹PO-4711, PO-4712›. None was asked for.',
  'Leave them out, or load the order as it stands there first: PUT /v1/ops/orders/{name}/{orderRef}/base.':
    'Leave them out, or load the order as it stands there first: PUT /v1/ops/orders/‹acme-carrier›/‹PO-4711›/base.',
  'Write the same reference in {header} and {trailer}. Messages that were read and not refused were taken: send only the refused and the missing ones, in an interchange with a new control reference.':
    'Write the same reference in ‹UNH› and ‹UNT›. Messages that were read and not refused were taken: send only the refused and the missing ones, in an interchange with a new control reference.',
  'Write {header} before it; check that the terminator of what stands there is not lost. Messages that were read and not refused were taken: send only the refused and the missing ones, in an interchange with a new control reference.':
    'Write ‹UNH› before it; check that the terminator of what stands there is not lost. Messages that were read and not refused were taken: send only the refused and the missing ones, in an interchange with a new control reference.',
  'Close each {header} with its {trailer}; check that the terminator before it is there. Messages that were read and not refused were taken: send only the refused and the missing ones, in an interchange with a new control reference.':
    'Close each ‹UNH› with its ‹UNT›; check that the terminator before it is there. Messages that were read and not refused were taken: send only the refused and the missing ones, in an interchange with a new control reference.',
  'Name the sheet with the rows "{wanted}". If that cannot be, ask the operator.':
    'Name the sheet with the rows "‹Events›". If that cannot be, ask the operator.',
  'Write {name}={wanted}.': 'Write ‹limit=50›.',
  'Write {name}= and {wanted}.': 'Write ‹limit=› and ‹a number from 1 to 100›.',
  'Write {name}= and {wanted}, separated by commas where there are several.':
    'Write ‹state=› and ‹delivered or invalid›, separated by commas where there are several.',
  '{ const: {field} }': '‹{ const: America/Chicago }›',
};

/** Of one code, by name, where that of all codes would not be what people meet there. */
const OF_CODE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  acknowledgment_not_offered: {
    acknowledgment: '/v1/messages/b_01m7ww39jy4zp0vsb9jmf5mjzh/1/acknowledgment',
    format: 'CSV',
  },
  array_unexpected: { path: '"stops"', list: '"stops[].city"' },
  bad_quote: { column: '"City"' },
  bytes_expired: { rows: '/v1/batches/b_01m7ww39jy4zp0vsb9jmf5mjzh/rows' },
  cannot_be_cleared: { target: 'The load number', source: '"Load #"' },
  cell_not_writable: {
    ...{ text: '1234567', column: 'Weight', record: '14' },
    why: 'the field has 6 characters, in the characters of the file',
  },
  cell_unknown: { what: 'Wieght' },
  changed_meanwhile: { name: 'carrier-status-csv', edition: '3' },
  code_list_invalid: { problems: '2 problems' },
  code_list_unknown: { name: 'carrier-milestones' },
  code_twice: { name: 'milestones', word: 'Delivered', code: 'D1' },
  code_unknown: { word: 'Arrived at customs' },
  column_unknown: { column: 'Load', columns: '"Load #", "Status", "Date"' },
  control_character: { target: 'The city', at: '7' },
  control_number_differs: {
    level: 'ST02',
    wanted: '0001',
    stated: '0002',
    name: 'message',
    header: 'UNH',
    trailer: 'SE',
  },
  coordinate_invalid: {
    ...{ target: 'The latitude', why: 'it has a letter N and a minus sign', source: '"Latitude"' },
    ...{ digits: 'MS104', letter: 'MS106', example: '0413130', sides: 'N or S' },
  },
  coordinate_out_of_range: { target: 'The latitude', degreesMax: '90', source: '"Latitude"' },
  coordinates_swapped: { source: '"Latitude" and "Longitude"' },
  corrections_not_offered: { format: 'X12' },
  count_differs: { trailer: 'SE', stated: '12', found: '11', counted: 'segments', name: 'transaction set' },
  count_invalid: { trailer: 'SE', counted: 'segments' },
  cursor_unknown: { last: '4711' },
  cursor_expired: { oldest: '4711' },
  decimal_mark_wrong: { target: 'The weight in kg', decimal: '.' },
  decision_not_open: { open: 'send_again, mark_delivered, close' },
  delimiter_alphanumeric: { name: 'component separator', found: '"A"' },
  delta_without_reference: { source: '"Change no."' },
  duplicate_header: { name: '"City"', columns: '4 and 7' },
  duplicate_key: { name: '"status"' },
  element_missing: { name: 'date (DTM)' },
  bad_encoding: { encoding: 'windows-1252', hex: '81 20' },
  encoding_disagrees: { encoding: 'windows-1252', hex: 'c3 a3' },
  environment_not_allowed: { allowed: 'test', environment: 'production', ENVIRONMENTS: 'production' },
  environment_required: { allowed: 'test, production' },
  entry_ambiguous: { path: 'for article "4-PLY"' },
  entry_unknown: { path: 'article "4-PLY"' },
  excel_damage: { value: "'4711", target: 'the load number', source: '"Load #"' },
  field_missing: { name: 'sku' },
  field_cut: { characters: '61', field: '"Weight"' },
  form_field_late: { name: 'mapping' },
  form_field_twice: { name: 'mapping' },
  form_field_unknown: { name: 'maping' },
  group_header_incomplete: { found: '6' },
  header_missing: { found: 'AT7', header: 'ST', name: 'transaction set' },
  isa_width: { tag: 'ISA', element: '06', found: '12', wanted: '15' },
  key_missing: { path: 'skus' },
  last_line_cut: { characters: '61', wanted: '80' },
  length_invalid: { value: '12O4' },
  line_too_short: { characters: '61', wanted: '80' },
  load_ambiguous: { places: 'two SCACs, ABCD and EFGH' },
  load_unknown_here: { scacs: 'ABCD' },
  look_up_missing: { source: '"Plate"', of: 'vehicle' },
  look_up_silent: { of: 'vehicle' },
  look_up_unanswered: { of: 'vehicle', value: 'TX 4471', target: 'the vehicle or device' },
  look_up_unavailable: {
    ...{ of: 'vehicle', value: 'TX 4471' },
    target: 'the vehicle or device',
    why: 'no answer came in time',
  },
  mapping_invalid: { problems: '2 problems' },
  mapping_missing: { known: 'carrier-status-csv, carrier-status-x12' },
  mapping_not_allowed: { mapping: 'orders-json', allowed: 'carrier-status-csv, carrier-status-x12' },
  mapping_shipped: { name: 'carrier-status-csv' },
  method_not_allowed: { path: '/v1/batches', method: 'DELETE' },
  missing_column: { column: 'Event Date', similar: 'Date' },
  name_differs: { filed: 'carrier-status.yaml' },
  no_effect: { column: 'Load #' },
  not_a_boolean: { target: 'The hazardous flag', source: '"Hazmat"' },
  not_a_whole_number: { target: 'The number of the stop', source: '"Stop"' },
  not_a_number: { source: '"Weight"', decimal: '.' },
  not_acceptable: { types: 'application/json' },
  not_comparable: { why: 'The two versions were made of different forms of mappings.' },
  no_feed: { name: 'acme-carrier' },
  not_found: { code: 'batch_unknow', method: 'GET', path: '/v1/batch' },
  number_too_long: { target: 'The weight in kg', source: '"Weight"' },
  number_too_small: { target: 'The number of the stop', source: '"Stop"', minimum: '1' },
  offset_out_of_range: { offsetMinutes: '17:00' },
  order_base_invalid: { why: 'it has no order number' },
  order_too_large: { characters: '1,204,000', charactersMax: limit(ORDER_CHARACTERS_MAX) },
  owners_differ: { name: 'carrier-status-csv' },
  owners_missing: { name: 'carrier-status-csv' },
  parameter_invalid: { name: 'limit', value: '12O', wanted: '1 to 100' },
  parameter_unknown: { name: 'maping', parameters: 'statee', known: 'state, code, limit' },
  path_invalid: { text: '../..', name: 'N1' },
  pattern_invalid: { error: 'a parenthesis is not closed', pattern: 'yyyyMMddHHmmss' },
  pattern_not_found: { target: 'The load number', source: '"Reference"', pattern: '"PRO[ :]*([0-9]+)"' },
  partner_beyond: { environment: 'production' },
  partner_channel_missing: { name: 'acme-carrier' },
  partner_exists: { name: 'acme-carrier' },
  partner_required: { partners: beyond(OPS_LOAD_LOCATIONS_MAX) },
  partner_unknown: { name: 'acme-carier' },
  person_exists: { name: 'dispatch-desk' },
  poll_not_kept: { name: 'orders-west' },
  poll_unreadable: { why: 'an order has no number' },
  quantity_below_zero: { path: 'The quantity of article "4-PLY"', before: '3', after: '-1' },
  quantity_missing: { value: '4-PLY', target: 'the articles (SKUs)' },
  quantity_twice: { value: '4-PLY', target: 'the articles (SKUs)' },
  action_unknown: { value: 'chnage', target: 'the articles (SKUs)', known: 'add, change, remove' },
  record_kind_unknown: { source: '"Record"', value: 'EVNT', known: '"EVENT", "STOP"' },
  records_not_found: { path: '"/Shipments/Shipment"' },
  replaced_row_open: { state: 'waiting' },
  role_insufficient: { role: 'viewer', needed: 'operator' },
  sample_impossible: { name: 'carrier-status-csv' },
  scac_invalid: { source: '"Carrier"' },
  scac_not_of_channel: { known: 'ABCD, EFGH' },
  segment_tag_invalid: { tag: '"at7"' },
  set_id_invalid: { found: '"21A"' },
  sheet_missing: { wanted: '2' },
  source_not_offered: { source: '/v1/messages/b_01m7ww39jy4zp0vsb9jmf5mjzh/1/source' },
  state_invalid: {
    ...{ value: 'Illinois', target: 'the state or province', city: '"City"' },
    ...{ source: '"State"', named: 'IL' },
  },
  state_unknown: { value: 'delivred', known: 'delivered, invalid, queued' },
  template_invalid: { error: 'a brace that is not closed' },
  terminator_missing: { tag: 'AT7', merged: 'MS1', followed: 'DTM' },
  text_outside_interchange: { bytes: '48' },
  thousands_mark_wrong: { source: '"Weight"' },
  nested_too_deep: { depthMax: limit(JSON_LIMITS.passedDepthMax) },
  record_too_large: { bytes: '2,400,000', bytesMax: limit(CSV_LIMITS.recordBytesMax) },
  cell_too_large: { bytes: '70,000', bytesMax: limit(CSV_LIMITS.cellBytesMax) },
  header_too_large: { bytesMax: limit(CSV_LIMITS.recordBytesMax) },
  header_unterminated: { bytesMax: limit(EDIFACT_LIMITS.envelopeSegmentBytesMax) },
  line_too_large: { bytes: '70,000', bytesMax: limit(FIXED_LIMITS.lineBytesMax) },
  message_too_large: { bytesMax: limit(MESSAGE_BYTES_MAX) },
  set_segments_too_many: { segmentsMax: limit(X12_LIMITS.setSegmentsMax) },
  set_too_large: { bytesMax: limit(X12_LIMITS.setBytesMax) },
  array_too_long: { elements: '2,400', elementsMax: limit(ELEMENTS_MAX) },
  too_many_columns: { columns: '1,204', columnsMax: limit(CSV_LIMITS.columnsMax) },
  too_many_interchanges: { interchangesMax: limit(INTERCHANGES_MAX) },
  too_many_keys: { most: limit(KEYS_LIVE_MAX) },
  too_many_names: { namesMax: limit(MAPPING_NAMES_MAX) },
  too_many_nodes: { nodesMax: limit(XML_LIMITS.nodesMax) },
  too_many_webhooks: { targetsMax: limit(WEBHOOK_TARGETS_MAX) },
  zip_too_many_files: { filesMax: limit(ARCHIVE_FILES_MAX) },
  too_large: { bytesMax: '2,621,440' },
  too_many_requests: { most: '600' },
  too_much_under_way: { files: '1,000', bytes: '3,145,728,000', rows: '1,200,000' },
  trailer_count_differs: { kind: 'trailer', said: '120', of: 'details', counted: '118' },
  trailer_count_unreadable: { kind: 'trailer' },
  trailer_missing: { header: 'ST', trailer: 'SE', kinds: 'T9', records: '118' },
  unexpected_segment: { tag: 'AT7' },
  unit_unknown: { to: 'kg', column: 'Unit', name: 'stone', from: 'mi', UNITS: 'kg, lb, km, mi and the like' },
  unknown_channel: { name: 'acme-tets', known: 'acme-test, acme-live' },
  unknown_code_list: { name: 'milestone', known: 'milestones, states' },
  unknown_field: { name: 'skuu', kinds: 'milestone', key: 'skuu', members: 'sku, quantity, unitOfMeasure' },
  unknown_key: { key: 'colum', innerType: 'column, const, template' },
  unknown_mapping: {
    mapping: 'carrier-status',
    name: 'carrier-status',
    known: 'carrier-status-csv, carrier-status-x12',
  },
  unknown_record_kind: { known: 'H1, D1, T9' },
  unknown_version: { name: 'carrier-status-csv' },
  unit_differs: { path: 'The weight in kg', before: '120 kg', asked: 'lb' },
  value_missing: { target: 'The load number', source: '"Load #"' },
  value_too_large: {
    ...{ path: '"/Shipments/Shipment/Note"', characters: '70,000' },
    charactersMax: limit(XML_LIMITS.valueCharactersMax),
  },
  value_too_long: { target: 'The city', charactersMax: '50', value: '64', source: '"City"', name: 'The name' },
  version_not_taken: { id: '214', version: '003030' },
  workbook_too_large: {
    ...{ bytes: '31,457,280', bytesMax: limit(WORKBOOK_BYTES_MAX), part: 'sheet1.xml' },
    unitsMax: limit(XML_TOKEN_UNITS_MAX),
  },
  wrong_delimiter: { delimiter: '","' },
  xml_not_well_formed: { detail: '</Stop> closes <City>' },
  zone_unknown: { zone: 'CST', field: 'America/Chicago' },
};

/** By name, whatever the code. */
const ANYWHERE: Readonly<Record<string, string>> = {
  ...{
    allowed: 'ABCD, EFGH',
    around: 'LX',
    batchId: 'b_01m7ww39jy4zp0vsb9jmf5mjzh',
    byte: '1,204',
    bytes: '70,000',
    bytesMax: '65,536',
  },
  ...{ at: 'at position 12', channel: 'acme-test', character: 'a line break', charset: 'UNOC (ISO 8859-1)' },
  ...{ column: '"City"', columnsMax: '1,000', contentType: 'text/csv', control: '000004711', count: '12' },
  ...{
    countMax: '10,000',
    counted: 'members',
    customerNumber: '4711',
    declared: 'windows-1252',
    deletedAt: '24 August 2026',
  },
  ...{ depthMax: '64', digitsMax: '15', doubtfulRecord: '12', elements: '240', elementsMax: '100', encoding: 'utf-8' },
  ...{
    entry: 'events.csv',
    ENVIRONMENTS: 'test, production',
    environments: 'test',
    examples: '2 differences',
    filesMax: '1,000',
  },
  ...{
    hex: 'E9 20',
    id: '214',
    interchangesMax: '1,000',
    keyId: '4f2a9c01d3e8b756',
    kind: 'detail',
    line: '15',
    loadNumber: 'LD100214',
  },
  ...{ loop: 'AT7', mapping: 'carrier-status-csv', Math: '1,073,741,824', method: '9', most: '20', namesMax: '1,000' },
  ...{ nodesMax: '100,000', orderRef: 'PO-4711', part: 'sheet1.xml', partner: 'acme-carrier', receivedBytes: '48,211' },
  ...{
    requestsMax: '500',
    scac: 'ABCD',
    segmentsMax: '10,000',
    self: '/v1/batches/b_01m7ww39jy4zp0vsb9jmf5mjzh',
    separator: '"#"',
  },
  ...{
    sheet: 'Events',
    size: '65,536',
    state: 'accepted',
    tag: 'AT7',
    target: '2',
    targetsMax: '10',
    terminator: '"\'"',
  },
  ...{ unitsMax: '32,767', values: '"4711" and "4712"', version: '7', wanted: 'application/xml', year: '1900' },
  ...{ charactersMax: '262,144', characters: '300,000', found: '1,204', source: '"City"', zone: 'CST' },
};

const FILLED = /\{(\w+)\}/g;
/** Around an example. */
const example = (text: string): string => `‹${text}›`;

interface Filled {
  text: string;
  /** Names without an example, and words that stand for nothing. */
  missing: readonly string[];
}

export function withExamples(code: string, template: string): Filled {
  const sentence = SENTENCES[template];
  if (sentence !== undefined) return { text: sentence, missing: [] };
  const missing: string[] = [];
  const text = template.replace(FILLED, (_, name: string) => {
    const found = OF_CODE[code]?.[name] ?? ANYWHERE[name];
    if (found === undefined) missing.push(`${code}: ${name} in "${template}"`);
    return example(found ?? name);
  });
  if (text.includes('…')) missing.push(`${code}: … in "${template}"`);
  return { text, missing };
}

/** Sentences of this page that no text of the source needs any more. */
export const unusedSentences = (templates: ReadonlySet<string>): string[] =>
  Object.keys(SENTENCES).filter((template) => !templates.has(template));
