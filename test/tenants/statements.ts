import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

const root = join(import.meta.dirname, '../..')

/** A statement in the code: its file, and its text with the parts that it is composed of. */
export interface Statement {
  file: string
  text: string
}

/**
 * Returns the SQL statements of the services that do not name `account_id`, also not in a part: a
 * constant or function of any service whose name the statement has.
 */
export function statementsWithoutAccount(): Statement[] {
  const statements: Statement[] = []
  const parts = new Map<string, string[]>()
  for (const file of globSync('services/!(host)/src/**/*.ts', { cwd: root })) {
    if (file.endsWith('.test.ts')) continue
    const text = readFileSync(join(root, file), 'utf8')
    const { program } = parseSync(file, text)
    const keep = (name: string | undefined, { start, end }: { start: number; end: number }) => {
      if (name) parts.set(name, [...(parts.get(name) ?? []), text.slice(start, end)])
    }
    new Visitor({
      FunctionDeclaration: (node) => keep(node.id?.name, node),
      VariableDeclarator: (node) => {
        if (node.id.type === 'Identifier' && node.init) keep(node.id.name, node.init)
      },
      TaggedTemplateExpression: ({ tag, quasi }) => {
        const isStatement = /^sql\.(type|unsafe)/.test(text.slice(tag.start, tag.end))
        if (isStatement) statements.push({ file, text: text.slice(quasi.start, quasi.end) })
      },
    }).visit(program)
  }
  return statements.filter(({ text }) => !namesAccount(text, parts))
}

const depthMax = 4

/** Returns whether a text, or a part that its expressions name, has the column. */
function namesAccount(text: string, parts: Map<string, string[]>, depth = 0): boolean {
  if (/\baccount_id\b|\baccountId\b/.test(text)) return true
  if (depth === depthMax) return false
  const names = [...text.matchAll(/\$\{([^}]*)/g)].flatMap(([, expression = '']) =>
    [...expression.matchAll(/[A-Za-z]\w+/g)].map(([name]) => name),
  )
  return names.some((name) =>
    (parts.get(name) ?? []).some((part) => namesAccount(part, parts, depth + 1)),
  )
}
