/** Operation and tables of a statement, for names of spans. */
export interface StatementSummary {
  /** Such as `SELECT transactions`, or `INSERT uploads UPDATE files`; at most 255 characters. */
  text: string
  /** The operation, if there is only one. */
  operation: string | null
  /** The table, if there is only one. */
  table: string | null
}

const summaryMax = 255
/** Maximum number of tables that a summary names for each operation. */
const tablesMax = 4

interface Operation {
  verb: string
  tables: string[]
}

// Matches tokens: names in double quotes, words, brackets, commas; skips literals and parameters.
const token = /'(?:[^']|'')*'|\$\d+|"([^"]+)"|([a-z_][a-z0-9_.]*)|([(),])/gi
const verbs = /^(SELECT|INSERT|UPDATE|DELETE)$/

/**
 * Returns the summary of a statement (db.query.summary of OpenTelemetry's conventions): its writes
 * in order, or its reads if it has none, with the tables of each. Names of CTEs and functions are
 * not tables. Contains no values, so its cardinality is bounded by the statements in the code.
 */
export function summarize(text: string): StatementSummary {
  const operations = listOperations(text)
  const writes = operations.filter(({ verb }) => verb !== 'SELECT')
  const shown = merged(writes.length > 0 ? writes : operations)
  const parts = shown.map(({ verb, tables }) => [verb, ...tables.slice(0, tablesMax)].join(' '))
  const tables = new Set(shown.flatMap((one) => one.tables))
  const [table] = tables
  return {
    text: tables.size > 0 ? fitting(parts) : withoutTable(text),
    operation: shown.length === 1 ? (shown[0]?.verb ?? null) : null,
    table: tables.size === 1 ? (table ?? null) : null,
  }
}

/** Returns the verb of a statement without tables, and the function that it calls first. */
function withoutTable(text: string): string {
  const [, verb, called] = /^\s*([a-z]+)(?:\s+([a-z_]+)\s*\()?/i.exec(text) ?? []
  return [verb?.toUpperCase() ?? 'SQL', ...(called === undefined ? [] : [called])].join(' ')
}

/** Joins parts up to the maximum length, without cutting a part. */
function fitting(parts: string[]): string {
  let text = ''
  for (const part of parts) {
    const longer = text === '' ? part : `${text} ${part}`
    if (longer.length > summaryMax) break
    text = longer
  }
  return text
}

/** Merges operations of the same verb that follow each other, and drops repeated tables. */
function merged(operations: Operation[]): Operation[] {
  const all: Operation[] = []
  for (const { verb, tables } of operations) {
    const last = all.at(-1)
    if (last?.verb === verb) last.tables = [...new Set([...last.tables, ...tables])]
    else all.push({ verb, tables: [...new Set(tables)] })
  }
  return all
}

interface Token {
  word: string
  upper: string
  isBracket: boolean
}

function tokensOf(text: string): Token[] {
  const plain = text.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
  return [...plain.matchAll(token)].flatMap(([whole, quoted, word, bracket]): Token[] => {
    if (bracket !== undefined) return [{ word: bracket, upper: bracket, isBracket: true }]
    if (quoted !== undefined) return [{ word: quoted, upper: '', isBracket: false }]
    return word === undefined ? [] : [{ word, upper: whole.toUpperCase(), isBracket: false }]
  })
}

function listOperations(text: string): Operation[] {
  const tokens = tokensOf(text)
  const named = namesOfQueries(tokens)
  const all: Operation[] = []
  // A stack of the enclosing operations, one for each level of brackets.
  let open: (Operation | null)[] = [null]
  for (const [index, { upper }] of tokens.entries()) {
    const before = tokens[index - 1]?.upper ?? ''
    if (upper === '(') open = [...open, null]
    else if (upper === ')') open = open.slice(0, -1)
    else if (verbs.test(upper) && !/^(FOR|DO|KEY|ON)$/.test(before)) {
      const operation = { verb: upper, tables: [] }
      all.push(operation)
      open[open.length - 1] = operation
      if (upper === 'UPDATE') keepTable(operation, tokens, index + 1, named)
    } else if (/^(FROM|JOIN|INTO|USING)$/.test(upper) && before !== 'DISTINCT') {
      // Without an operation at this level, FROM belongs to a call such as `extract(… FROM …)`.
      const operation = open.at(-1)
      if (operation) keepTable(operation, tokens, index + 1, named)
    }
  }
  return all
}

/**
 * Adds the table at a token, unless the token begins a subquery, a function call or names a CTE.
 */
function keepTable(operation: Operation, tokens: Token[], at: number, named: Set<string>): void {
  const from = /^(ONLY|LATERAL)$/.test(tokens[at]?.upper ?? '') ? at + 1 : at
  const found = tokens[from]
  if (!found || found.isBracket) return
  // A quoted schema and table are two tokens; the second one is the table.
  const next = tokens[from + 1]
  const isSchema = found.upper === '' && next?.upper === ''
  const name = (isSchema ? next.word : found.word).split('.').at(-1) ?? ''
  const isCalled = next?.upper === '(' && operation.verb !== 'INSERT'
  if (!isCalled && !named.has(name)) operation.tables.push(name)
}

/** Returns the names of CTEs: `name [(columns)] AS [NOT] [MATERIALIZED] (`. */
function namesOfQueries(tokens: Token[]): Set<string> {
  const named = new Set<string>()
  if (!tokens.some(({ upper }) => upper === 'WITH')) return named
  for (const [index, { upper }] of tokens.entries()) {
    if (upper !== 'AS') continue
    const after = tokens.slice(index + 1, index + 4).find(({ upper: one }) => {
      return one !== 'NOT' && one !== 'MATERIALIZED'
    })
    if (after?.upper !== '(') continue
    let name = index - 1
    if (tokens[name]?.upper === ')') {
      while (name > 0 && tokens[name]?.upper !== '(') name--
      name--
    }
    const found = tokens[name]
    if (found) named.add(found.word)
  }
  return named
}
