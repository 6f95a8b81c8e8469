/** How a number format of a sheet shows a number. */
export type NumberStyle = 'number' | 'date' | 'time'

const secondsOfDay = 86_400
/** The last day that spreadsheets know: 9999-12-31. */
const SERIAL_MAX = 2_958_465
/** Day 0 of the two date systems, such that day 61 and later days of the first are right. */
const dayZero = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) }

/**
 * Returns a stored number as plain decimals with a point. Spreadsheets show at most 15 digits, but
 * files have those of the binary number. Three decimals get a zero, so that no reader of amounts
 * takes the point for that of thousands.
 */
export function numberText(written: string): string {
  if (/^-?\d{1,30}$/.test(written)) return written
  const value = Number(Number(written).toPrecision(15))
  if (written === '' || !Number.isFinite(value)) return written
  const text = plainText(value)
  return /\.\d{3}$/.test(text) ? `${text}0` : text
}

/** Returns whether a text may be of a number, as `numberText` returns it. */
export function isNumberText(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text) && !/\.\d{3}$/.test(text)
}

/**
 * Returns the day of a serial number as YYYY-MM-DD, with the time behind it if it has one; of a
 * time alone HH:MM:SS. Other numbers are as `numberText` returns them.
 */
export function serialText(
  written: string,
  { style, system }: { style: NumberStyle; system: 1900 | 1904 },
): string {
  const serial = Number(written)
  const isSerial = written !== '' && serial >= 0 && serial <= SERIAL_MAX
  if (style === 'number' || !isSerial) return numberText(written)
  const seconds = Math.round(serial * secondsOfDay)
  // The first system has a 29 February 1900, so that earlier days are one later.
  const isEarly = system === 1900 && serial < 60 ? secondsOfDay : 0
  const text = new Date(dayZero[system] + (seconds + isEarly) * 1000).toISOString()
  const [day = '', time = ''] = text.slice(0, 19).split('T')
  if (style === 'time' && serial < 1) return time
  return seconds % secondsOfDay === 0 ? day : `${day} ${time}`
}

/** Returns how a number format shows numbers: `dd.mm.yyyy` a date, `hh:mm` a time. */
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
