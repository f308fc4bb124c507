/**
 * What may be sent as a state: "State or province code" (seed 2.2, 2.4). Pure; the only table of them.
 *
 * The codes of the United States with territories and military mail, of Canada and of Mexico are known by name. Those
 * of other countries are one to three letters or digits, as in ISO 3166-2: which of them exist is not checked.
 */

const UNITED_STATES =
  'AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,AS American Samoa,GU Guam,MP Northern Mariana Islands,PR Puerto Rico,VI Virgin Islands,AA Armed Forces Americas,AE Armed Forces Europe,AP Armed Forces Pacific';
const CANADA =
  'AB Alberta,BC British Columbia,MB Manitoba,NB New Brunswick,NL Newfoundland and Labrador,NS Nova Scotia,NT Northwest Territories,NU Nunavut,ON Ontario,PE Prince Edward Island,QC Quebec,SK Saskatchewan,YT Yukon';
/** By their three-letter codes (ISO 3166-2), and by the two-letter ones that North American carriers write. */
const MEXICO =
  'AGU AG Aguascalientes,BCN BN Baja California,BCS BS Baja California Sur,CAM CM Campeche,CHP CP Chiapas,CHH CH Chihuahua,CMX DF Ciudad de Mexico,COA CI Coahuila,COL CL Colima,DUR DG Durango,GUA GJ Guanajuato,GRO GE Guerrero,HID HD Hidalgo,JAL JA Jalisco,MEX MX Estado de Mexico,MIC MC Michoacan,MOR MR Morelos,NAY NA Nayarit,NLE NL Nuevo Leon,OAX OA Oaxaca,PUE PU Puebla,QUE QE Queretaro,ROO QR Quintana Roo,SLP SL San Luis Potosi,SIN SI Sinaloa,SON SO Sonora,TAB TB Tabasco,TAM TM Tamaulipas,TLA TL Tlaxcala,VER VE Veracruz,YUC YU Yucatan,ZAC ZA Zacatecas';

const WORD = /^[A-Z]{2,3}$/;

const CODES = new Set<string>();
/** By name in capitals: the code to write. */
const NAMED = new Map<string, string>();
for (const entry of [UNITED_STATES, CANADA, MEXICO].join(',').split(',')) {
  const words = entry.split(' ');
  const codes = words.filter((word) => WORD.test(word));
  for (const code of codes) CODES.add(code);
  const [first] = codes;
  if (first !== undefined) NAMED.set(words.slice(codes.length).join(' ').toUpperCase(), first);
}

const OTHER_CODE = /^[A-Z0-9]{1,3}$/;

/** About a state that cannot be sent: the intended code if its name gives it, and whether the city holds one. */
export interface StateFact {
  named: string | undefined;
  isSwapped: boolean;
}

/**
 * @param city beside it, '' if there is none: a known state code there, beside an unknown state, shows that the two are
 * swapped.
 * @returns what is wrong; undefined if it may be sent. Case is up to the mapping.
 */
export function stateFault(state: string, city: string): StateFact | undefined {
  if (CODES.has(state)) return undefined; // as nearly all are written
  const code = state.trim().toUpperCase();
  if (CODES.has(code)) return undefined;
  const isSwapped = CODES.has(city.trim().toUpperCase());
  if (OTHER_CODE.test(code) && !isSwapped) return undefined;
  return { named: NAMED.get(code.normalize('NFD').replace(/\p{M}/gu, '')), isSwapped };
}
