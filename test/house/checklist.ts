import type { File } from './files.ts'

/** Numbers of the requirements of levels 1 and 2 in OWASP ASVS 5.0.0, by section. */
const sections: Record<string, number[]> = {
  '6.1': upTo(3),
  '6.2': upTo(12),
  '6.3': upTo(4),
  '6.4': upTo(4),
  '6.5': upTo(5),
  '6.6': upTo(3),
  '6.8': upTo(4),
  '7.1': upTo(3),
  '7.2': upTo(4),
  '7.3': upTo(2),
  '7.4': upTo(5),
  '7.5': upTo(2),
  '7.6': upTo(2),
  '8.1': upTo(2),
  '8.2': upTo(3),
  '8.3': upTo(1),
  '8.4': upTo(1),
  '9.1': upTo(3),
  '9.2': upTo(4),
  '13.2': [1, 3],
  '13.3': upTo(2),
}

/** Requirements that the checklist in docs/security.md must contain, such as '6.2.1'. */
export const itemNumbers = Object.entries(sections).flatMap(([section, items]) =>
  items.map((item) => `${section}.${item}`),
)

interface Row {
  number: string
  state: string
  where: string
  shownBy: string
}

/**
 * Returns faults of the checklist in docs/security.md: missing or repeated requirements, unknown
 * states, requirements that are met without a test, references to missing files or tests.
 */
export function checklistFaults(page: string, files: readonly File[]): string[] {
  const rows = rowsOf(page)
  const numbers = rows.map(({ number }) => number)
  const missing = itemNumbers.filter((number) => !numbers.includes(number))
  const strange = numbers.filter(
    (number, index) => !itemNumbers.includes(number) || numbers.indexOf(number) !== index,
  )
  return [
    ...missing.map((number) => `${number} is missing`),
    ...strange.map((number) => `${number} is there twice, or none of the items`),
    ...rows.flatMap(rowFaults),
    ...referenceFaults(page, new Map(files.map(({ path, text }) => [path, text]))),
  ]
}

function rowsOf(page: string): Row[] {
  return [...page.matchAll(/^\| *(\d+\.\d+\.\d+) *\|(.*)\|$/gm)].map(
    ([, number = '', rest = '']) => {
      const [, state = '', where = '', shownBy = ''] = rest.split('|').map((cell) => cell.trim())
      return { number, state, where, shownBy }
    },
  )
}

function rowFaults({ number, state, where, shownBy }: Row): string[] {
  if (!/^(met|relaxed|not here)$/.test(state)) return [`${number}: "${state}" is no state`]
  if (where === '') return [`${number} says neither where nor why`]
  return state === 'not here' || shownBy.includes('.test.ts`') ? [] : [`${number} has no test`]
}

/** Returns the checklist's references to missing files (in backticks) or tests (in italics). */
function referenceFaults(page: string, texts: ReadonlyMap<string, string>): string[] {
  const named = page.matchAll(/`([\w.-]+\/[\w./-]+\.ts)`(?:: [*_]([^*_]+)[*_])?/g)
  return [...named].flatMap(([, path = '', name]) => {
    const text = texts.get(path)
    if (text === undefined) return [`${path} is not there`]
    return name === undefined || text.includes(name) ? [] : [`${path} has no test "${name}"`]
  })
}

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}
