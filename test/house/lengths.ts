import { parseSync, Visitor } from 'oxc-parser'
import type { File } from './files.ts'
import { lineAt } from './modules.ts'

const fileLinesMax = 300
const functionLinesMax = 70
const columnsMax = 100

/** Files of more than 300 lines and lines of more than 100 columns; no migrations, no manifests. */
export function longFiles({ path, text }: File): string[] {
  if (/\.(sql|json|mod)$/.test(path)) return []
  const lines = text.trimEnd().split('\n')
  const tall = lines.length > fileLinesMax ? [`${path}: ${lines.length} lines`] : []
  if (path.endsWith('.md')) return tall
  const wide = lines.flatMap((line, index) => {
    const columns = [...line].length
    return columns > columnsMax ? [`${path}:${index + 1}: ${columns} columns`] : []
  })
  return [...tall, ...wide]
}

interface Span {
  start: number
  end: number
}

/** Functions of more than 70 lines, except `describe` blocks, which only group tests. */
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
