/**
 * What differs from run to run in what was recorded → the same words in every run. Pure.
 *
 * Ids are numbered in the order in which they first appear, so that two that are the same stay the same.
 */

interface MaskOptions {
  /** Text → its name, longest first: addresses, keys, folders. */
  named: ReadonlyMap<string, string>;
  /** Times from here on are of the run itself; earlier ones stand in the files that were sent. */
  fromMs: number;
}

/** In an address one may follow an escaped character. */
const ID =
  /(?:\b|(?<=%[0-9A-F]{2}))(?:[abmrw]_[0-9a-hjkmnp-tv-z]{26}|[a-z]_[0-9a-f]{32}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\b/g;
const ISO_TIME = /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g;
const HTTP_DATE = /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT\b/g;
/** Milliseconds since 1970, of our days. */
const EPOCH_MS = /\b1[789]\d{11}\b/g;
/** Members whose value is a measure of this run: kept by name, so that a member that goes is seen. */
const MEASURED = /"((?:latency|duration|elapsed|age|waited|since)\w*)":\s*-?\d+(?:\.\d+)?/gi;
/** Of bytes that hold an id or a token of this run. */
const HASHED = /"(requestSha256|fingerprint|tokenFingerprint)":\s*"[0-9a-f]+"/g;
/** A token is new in every run. */
const BEARER = /Bearer sha256:[0-9a-f]+/g;
/** So is what a form brings along. */
const FORM_TOKEN = /(name="(?:csrf|key|start)" value=")[\w.-]+/g;
/** X12 and EDIFACT say when an acknowledgment was written. */
const ISA_TIME = /(ISA\*(?:[^*]*\*){8})\d{6}\*\d{4}/g;
const GS_TIME = /(GS\*(?:[^*]*\*){3})\d{8}\*\d{4,8}/g;
const UNB_TIME = /(UNB\+(?:[^+]*\+){3})\d{6,8}:\d{4}/g;

export function masker({ named, fromMs }: MaskOptions): (text: string) => string {
  const ids = new Map<string, string>();
  const idName = (id: string): string => {
    const known = ids.get(id) ?? `<id ${ids.size + 1}>`;
    ids.set(id, known);
    return known;
  };
  const time = (text: string): string => (Date.parse(text.replace(' ', 'T')) >= fromMs ? '<time>' : text);
  const names = [...named].sort(([one], [other]) => other.length - one.length);
  return (text) => {
    let masked = text;
    for (const [secret, name] of names) masked = masked.replaceAll(secret, name);
    return masked
      .replace(ISA_TIME, '$1<date>*<time>')
      .replace(GS_TIME, '$1<date>*<time>')
      .replace(UNB_TIME, '$1<date>:<time>')
      .replace(MEASURED, '"$1":<measured>')
      .replace(HASHED, '"$1":<hash>')
      .replace(BEARER, 'Bearer <hash>')
      .replace(FORM_TOKEN, '$1<token>')
      .replace(ID, idName)
      .replace(ISO_TIME, time)
      .replace(HTTP_DATE, '<time>')
      .replace(EPOCH_MS, (ms) => (Number(ms) >= fromMs ? '<ms>' : ms));
  };
}
