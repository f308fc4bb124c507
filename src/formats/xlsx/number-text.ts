/** A stored number → the plain decimal text that a person sees: no exponent, no binary noise. Pure. */

/** Excel shows and keeps 15 significant digits (Excel specifications and limits). */
const SIGNIFICANT_DIGITS = 15;
const INTEGER = /^-?\d+$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/;

/**
 * @returns an integer written out in digits as it is: a program other than Excel may have written more than 15 of them, and
 * none is noise. What is no number at all is returned as it is, so that casting it fails visibly.
 */
export function numberText(written: string): string {
  const text = written.trim();
  if (INTEGER.test(text)) return text;
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? plainDecimal(value) : written;
}

function plainDecimal(value: number): string {
  const [mantissa = '', exponentText = '0'] = Math.abs(value)
    .toExponential(SIGNIFICANT_DIGITS - 1)
    .split('e');
  const digits = mantissa.replace('.', '').replace(/0+$/, '');
  if (digits === '') return '0';
  const point = Number(exponentText) + 1;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits;
  return `${value < 0 ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
