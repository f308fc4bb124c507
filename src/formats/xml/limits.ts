/** Limits of an XML document. Exceeding most of them ends the reading: nobody writes such a document by accident. */

export const XML_LIMITS = {
  /** Bytes at the start that are checked: a byte-order mark and the XML declaration. Ours. */
  sniffBytes: 1_024,
  /**
   * Bytes from the end of one tag outside the records to the end of the next tag, or of the record that begins
   * meanwhile. A shipment with a scanned document inside has some hundred KiB. Ours.
   */
  recordBytesMax: 2 * 1_024 * 1_024,
  /** Nesting of elements, also around the records: envelopes and nested lists reach some fifteen. Ours. */
  depthMax: 64,
  /** Elements and attributes of one record, which alone it costs: an order of a thousand lines has ten thousand. Ours. */
  nodesMax: 100_000,
  /** Of one element. */
  attributesMax: 256,
  attributeCharactersMax: 64 * 1_024,
  nameCharactersMax: 256,
  /** A text that the mapping reads, at the cost of its record: no field of the target interfaces comes near. Ours. */
  valueCharactersMax: 64 * 1_024,
  /** A text from outside the records, which is stored in every checkpoint. */
  capturedCharactersMax: 4_096,
};
export type XmlLimits = typeof XML_LIMITS;

/** Characters given to the parser at once: a fault is noticed at the latest after these. Ours. */
export const FEED_CHARACTERS = 4_096;
/** Longest reference that is searched after an ampersand: any predefined entity, any character by its number. */
export const REFERENCE_CHARACTERS_MAX = 40;
/** A slice of this many bytes never gives `more`: a reference, and a character, may be cut off at its end. */
export const XML_SLICE_BYTES_ENOUGH = XML_LIMITS.recordBytesMax + 4 * (REFERENCE_CHARACTERS_MAX + 1);
/** Characters shown of the text before a fault. Ours. */
export const EXCERPT_CHARACTERS = 80;
/** Names listed when the path to the records leads nowhere, and characters of each. Ours. */
export const LISTED_NAMES_MAX = 20;
export const LISTED_NAME_CHARACTERS_MAX = 60;
/** Longest path, in characters, and most steps of it. Ours. */
export const PATH_CHARACTERS_MAX = 500;
/** Namespaces of a declaration, and characters of a prefix and a namespace name. Ours. */
export const NAMESPACES_MAX = 20;
export const PREFIX_CHARACTERS_MAX = 40;
export const NAMESPACE_CHARACTERS_MAX = 300;
