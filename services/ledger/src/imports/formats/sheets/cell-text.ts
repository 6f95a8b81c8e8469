/** Category of a number format: it displays numbers as numbers, dates or times. */
export type NumberStyle = 'number' | 'date' | 'time'

const secondsOfDay = 86_400
/** Serial number of the last day that spreadsheets support: 9999-12-31. */
const SERIAL_MAX = 2_958_465
/** Day 0 of both date systems. For system 1900 it fits days from 61 on (see `serialText`). */
const dayZero = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) }

/**
 * Formats a stored number with a decimal point. Rounds to 15 significant digits as spreadsheets do,
 * because files have all digits of the binary number. Appends a zero to three decimals, so that the
 * point is not mistaken for a thousands separator.
 */
export function numberText(written: string): string {
  if (/^-?\d{1,30}$/.test(written)) return written
  const value = Number(Number(written).toPrecision(15))
  if (written === '' || !Number.isFinite(value)) return written
  const text = plainText(value)
  return /\.\d{3}$/.test(text) ? `${text}0` : text
}

/** Returns whether a text may be a result of `numberText`. */
export function isNumberText(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text) && !/\.\d{3}$/.test(text)
}

/**
 * Formats a serial number: a date as YYYY-MM-DD, with ` HH:MM:SS` if it has a time, a time of day
 * as HH:MM:SS, any other number as `numberText` does.
 */
export function serialText(
  written: string,
  { style, system }: { style: NumberStyle; system: 1900 | 1904 },
): string {
  const serial = Number(written)
  const isSerial = written !== '' && serial >= 0 && serial <= SERIAL_MAX
  if (style === 'number' || !isSerial) return numberText(written)
  const seconds = Math.round(serial * secondsOfDay)
  // System 1900 wrongly has a 29 February 1900 (day 60): earlier serial numbers are one day off.
  const isEarly = system === 1900 && serial < 60 ? secondsOfDay : 0
  const text = new Date(dayZero[system] + (seconds + isEarly) * 1000).toISOString()
  const [day = '', time = ''] = text.slice(0, 19).split('T')
  if (style === 'time' && serial < 1) return time
  return seconds % secondsOfDay === 0 ? day : `${day} ${time}`
}

/** Returns the category of a number format: `dd.mm.yyyy` is a date, `hh:mm` a time. */
export function styleOfFormat(code: string): NumberStyle {
  const [shown = ''] = code
    .slice(0, 500)
    .replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '')
    .split(';')
  if (/[dy]/i.test(shown) || (/m/i.test(shown) && !/[hs]/i.test(shown))) return 'date'
  return /[hs]/i.test(shown) ? 'time' : 'number'
}

function plainText(value: number): string {
  const text = String(value)
  if (!text.includes('e')) return text
  if (Math.abs(value) >= 1) return BigInt(value).toString()
  return value.toFixed(20).replace(/\.?0+$/, '')
}
