/**
 * Letters beyond ASCII of one language each, without those that all Latin sets have at one place
 * (ä é ö ü ß): they tell no set from another.
 */
const ALPHABETS = (
  'àâæçèêëîïôœùûÿ áíóúñºª àçèíïòóú ãáàâçêíóôõú àèìîòóù áëïíóúè åäö åæøóòô áðíóúýþæ ' +
  'ąćęłńóśźż áčďěíňóřšťúůýž áčďíĺľňóôŕšťúýž áíóőúű ăâîșțşţ čćđšž āčēģīķļņōŗšūž ąčęėįšųūž ' +
  'õšž çğıışâîû çë ċġħżàèìòù'
)
  .split(' ')
  .map((letters) => new Set(letters))
const COMMON = new Set('äéöüß')
/** Minimum share of the letters that one alphabet has: texts hold foreign names too. */
const COVERED_MIN = 0.9

/**
 * Returns whether the letters of a text beyond ASCII are those of one language: read in another
 * set, a text has letters of several. Letters of other scripts than Latin always are.
 */
export function isPlausible(text: string): boolean {
  const letters = [...text.toLowerCase()].filter(
    (one) => one > '\u007f' && /\p{Script=Latin}/u.test(one) && !COMMON.has(one),
  )
  const covered = ALPHABETS.map((letter) => letters.filter((one) => letter.has(one)).length)
  return Math.max(...covered) >= letters.length * COVERED_MIN
}

const JAPANESE = /^[\u3000-\u30ff\p{Script=Han}\uff00-\uffef]+$/u
/** Minimum number of different letters in a row: an apostrophe with its letter is one. */
const RUN_MIN = 2

/**
 * Returns whether bytes are Japanese text in Shift_JIS: every character beyond ASCII is Japanese,
 * some stand in a row, and most have a first byte that is no letter in sets of single bytes.
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

/** Counts the first bytes of two that are control characters or marks in sets of single bytes. */
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
