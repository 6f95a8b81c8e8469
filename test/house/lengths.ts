import { parseSync, Visitor } from 'oxc-parser'
import { type File, isTest } from './files.ts'
import { lineAt } from './modules.ts'

const fileLinesMax = 300
const functionLinesMax = 70
const columnsMax = 100
const markdownColumnsMax = 120
/** The bound of lines of tests for a line of source follows the ratio down to the goal. */
const ratioGoal = 1.2
const ratioSlack = 0.02
const packageReadme = /^(?!docs\/).+\/README\.md$/

const catalogue = /\/(languages\/([a-z]{2}|\w+\/.+)|reasons\/[a-z-]+-reasons)\.ts$/

/**
 * Returns messages about files of more than 300 lines, and lines of more than 100 columns
 * (Markdown: 120). Exempt: migrations, manifests, catalogues of texts, code blocks in Markdown, and
 * tables outside READMEs of packages. The changelog and contracts may have any number of lines:
 * they only grow, and a message cannot move to another file.
 */
export function longFiles({ path, text }: File): string[] {
  if (/\.(sql|json|mod)$/.test(path) || catalogue.test(path)) return []
  const lines = text.trimEnd().split('\n')
  const isTall = lines.length > fileLinesMax && !/^CHANGELOG\.md$|\.proto$/.test(path)
  const tall = isTall ? [`${path}: ${lines.length} lines`] : []
  const isMarkdown = path.endsWith('.md')
  const max = isMarkdown ? markdownColumnsMax : columnsMax
  const bounded = isMarkdown ? boundedLines(path, lines) : lines
  const wide = bounded.flatMap((line, index) => {
    const columns = [...line].length
    return columns > max ? [`${path}:${index + 1}: ${columns} columns`] : []
  })
  return [...tall, ...wide]
}

/** Returns the lines of a Markdown file, with '' for each line that may have any length. */
function boundedLines(path: string, lines: readonly string[]): string[] {
  const isTableBounded = packageReadme.test(path)
  let isCode = false
  return lines.map((line) => {
    const isFence = /^\s*```/.test(line)
    if (isFence) isCode = !isCode
    const isExemptTable = !isTableBounded && /^\s*\|/.test(line)
    return isFence || isCode || isExemptTable ? '' : line
  })
}

interface Span {
  start: number
  end: number
}

/**
 * Returns messages about functions of more than 70 lines. `describe` blocks are exempt, as they
 * only group tests.
 */
export function longFunctions({ path, text }: File): string[] {
  const found: string[] = []
  const groups = new Set<number>()
  const check = ({ start, end }: Span) => {
    const lines = lineAt(text, end) - lineAt(text, start) + 1
    if (lines <= functionLinesMax || groups.has(start)) return
    found.push(`${path}:${lineAt(text, start)}: a function of ${lines} lines`)
  }
  new Visitor({
    CallExpression: ({ callee, arguments: given }) => {
      if (!/^describe\b/.test(text.slice(callee.start, callee.end))) return
      for (const argument of given) groups.add(argument.start)
    },
    FunctionDeclaration: check,
    FunctionExpression: check,
    ArrowFunctionExpression: check,
  }).visit(parseSync(path, text).program)
  return found
}

/** Lines of code of the tests and of the rest. */
export interface Proportion {
  tests: number
  source: number
}

/** Counts the lines of the `.ts`, `.tsx` and `.mjs` files. */
export function countLines(files: File[]): Proportion {
  const lines = { tests: 0, source: 0 }
  for (const { path, text } of files.filter((file) => /\.(tsx?|mjs)$/.test(file.path))) {
    lines[isTest(path) ? 'tests' : 'source'] += text.split('\n').length - 1
  }
  return lines
}

/** Returns why the lines break the bound, which falls with the ratio until it is the goal. */
export function proportionFaults({ tests, source }: Proportion, bound: number): string[] {
  const ratio = tests / source
  const counted = `${tests} lines of tests, ${source} of source: ${ratio.toFixed(3)}`
  if (ratio > bound) return [`${counted}, more than ${bound}: remove tests that repeat others`]
  const lowest = Math.max(ratioGoal, Math.ceil((ratio + ratioSlack / 2) * 100) / 100)
  return bound > ratioGoal && ratio < bound - ratioSlack
    ? [`${counted}: lower the bound to ${lowest}`]
    : []
}
