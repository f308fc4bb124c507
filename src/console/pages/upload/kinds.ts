/** What a format is called by people. Pure. */
const FORMAT_MESSAGES: Readonly<Record<string, string>> = {
  csv: 'CSV or Excel',
  xlsx: 'Excel or CSV',
  json: 'JSON',
  ndjson: 'JSON lines',
  x12: 'X12',
  edifact: 'EDIFACT',
  xml: 'XML',
  fixed: 'fixed width',
};

export const kindText = (format: string): string => FORMAT_MESSAGES[format] ?? format;
