/**
 * Non-ASCII letters of each language, without `COMMON` letters. Common letters have the same code
 * in all Latin character sets, so they do not show which of the sets a text uses.
 */
const ALPHABETS = (
  'àâæçèêëîïôœùûÿ áíóúñºª àçèíïòóú ãáàâçêíóôõú àèìîòóù áëïíóúè åäö åæøóòô áðíóúýþæ ' +
  'ąćęłńóśźż áčďěíňóřšťúůýž áčďíĺľňóôŕšťúýž áíóőúű ăâîșțşţ čćđšž āčēģīķļņōŗšūž ąčęėįšųūž ' +
  'õšž çğıışâîû çë ċġħżàèìòù'
)
  .split(' ')
  .map((letters) => new Set(letters))
const COMMON = new Set('äéöüß')
/** Minimum share of letters from one alphabet: below 1, because texts contain foreign names. */
const COVERED_MIN = 0.9

/**
 * Returns whether the non-ASCII letters of a text belong to one language. Decoding with a wrong
 * character set yields letters of several languages. Checks only letters of the Latin script.
 */
export function isPlausible(text: string): boolean {
  const letters = [...text.toLowerCase()].filter(
    (one) => one > '\u007f' && /\p{Script=Latin}/u.test(one) && !COMMON.has(one),
  )
  const covered = ALPHABETS.map((letter) => letters.filter((one) => letter.has(one)).length)
  return Math.max(...covered) >= letters.length * COVERED_MIN
}

const JAPANESE = /^[\u3000-\u30ff\p{Script=Han}\uff00-\uffef]+$/u
/**
 * Minimum number of different characters in one run of non-ASCII characters of a Japanese text. In
 * other texts, Shift_JIS decodes a curly apostrophe and the letter after it to a run of one.
 */
const RUN_MIN = 2

/**
 * Returns whether bytes are Japanese text in Shift_JIS: all non-ASCII characters are Japanese, some
 * adjoin each other, and most have a lead byte that is no letter in single-byte character sets.
 */
export function isShiftJis(sample: Uint8Array): boolean {
  const text = new TextDecoder('shift_jis').decode(sample, { stream: true })
  const runs = text.match(/[\u0080-\uffff]+/g) ?? []
  if (
    !runs.every((run) => JAPANESE.test(run)) ||
    !runs.some((run) => new Set(run).size >= RUN_MIN)
  ) {
    return false
  }
  const wide = runs.join('').replace(/[\uff61-\uff9f]/g, '').length
  return wide > 0 && leadsOf(sample) * 2 > wide
}

/** Counts lead bytes of two-byte characters that are no letters in single-byte character sets. */
function leadsOf(sample: Uint8Array): number {
  let count = 0
  for (let at = 0; at < sample.length; at += 1) {
    const byte = sample[at] ?? 0
    const isLow = byte > 0x80 && byte < 0xa0
    if (isLow) count += 1
    if (isLow || byte >= 0xe0) at += 1
  }
  return count
}
